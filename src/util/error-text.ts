import { isObject, ownMember } from './json/own-member.ts';
import { parsePlain } from './json/parse.ts';

/**
 * The message of another server's error in one line: in the shape of OpenAI, of FastAPI (without the values it found), or in others that
 * are common; otherwise the whole text. @param secrets are replaced where it repeats them
 */
export function errorText(body: string, secrets: readonly string[] = []): string {
  const text = withoutSecrets(messageIn(body).replaceAll(/\s+/g, ' ').trim(), secrets);
  return text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text;
}

/** Servers may repeat the key that they got. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => (secret === '' ? left : left.replaceAll(secret, 'REDACTED')), text);
}

function messageIn(text: string): string {
  let body: unknown;
  try {
    body = parsePlain(text);
  } catch {
    return text;
  }
  const first = Array.isArray(body) ? body[0] : body;
  for (const name of ['error', 'message', 'detail', 'reason']) {
    const found = ownMember(first, name);
    if (typeof found === 'string') return found;
    if (Array.isArray(found)) return found.map(finding).join('; ');
    const message = isObject(found) ? ownMember(found, 'message') : undefined;
    if (typeof message === 'string') return message;
  }
  return text;
}

/** A finding of FastAPI without its `input`, which is what was sent. */
function finding(value: unknown): string {
  const [loc, msg] = [ownMember(value, 'loc'), ownMember(value, 'msg')];
  return `${Array.isArray(loc) ? `${loc.join('.')}: ` : ''}${typeof msg === 'string' ? msg : ''}`;
}

const charactersMax = 1000;
