import { mapStrings } from '../../util/json/strings.ts';

const exactNames = new Set([
  'authheaders',
  'authorization',
  'authtoken',
  'awsaccesskey',
  'awsaccesskeyid',
  'bearertoken',
  'vertexcredentials',
  'webhookkey',
  'webhooksecret',
]);

const endings =
  /(?:accesstoken|apikey|apitoken|clientsecret|privatekey|refreshtoken|secretaccesskey|secretkey|sessiontoken)$/;

/** Every credential-like key contains one of these words. */
const suspicious = /auth|key|token|secret|credentials/i;
const keyLengthMax = 200;

/** Replaces non-empty strings under credential-like keys of minified JSON text with `"REDACTED"`, at any depth. */
export function redactCredentials(text: string): string {
  if (!hasSuspiciousKey(text)) return text;
  return mapStrings(text, (value, key) => (value !== '' && key !== null && isCredentialKey(key) ? 'REDACTED' : value));
}

export function isCredentialKey(key: string): boolean {
  if (key.length > keyLengthMax || !suspicious.test(key)) return false;
  const name = key.toLowerCase().replaceAll(/[_-]/g, '');
  return exactNames.has(name) || endings.test(name);
}

/** Scans only the keys, to avoid walking the whole text: an unescaped `":` only follows a key. */
function hasSuspiciousKey(text: string): boolean {
  for (let end = text.indexOf('":'); end >= 0; end = text.indexOf('":', end + 2)) {
    const start = text.lastIndexOf('"', end - 1) + 1;
    if (end - start <= keyLengthMax && suspicious.test(text.slice(start, end))) return true;
  }
  return false;
}
