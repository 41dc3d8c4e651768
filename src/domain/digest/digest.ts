import { createHash, hash } from 'node:crypto';
import { openTurn } from '../../util/turns.ts';

/** The digest of an object version or a table row: that of the UTF-8 bytes of its canonical JSON, refs internal. */
export function textDigest(canonical: string): string {
  return asWord(hash('sha256', canonical, 'base64url'));
}

/** The digest of a file: that of its bytes as they are. */
export function bytesDigest(bytes: Uint8Array): string {
  return asWord(hash('sha256', bytes, 'base64url'));
}

/** The digest of bytes that are hashed piece by piece: of their SHA-256 in base64url. */
export function digestOfHash(sha256: string): string {
  return asWord(sha256);
}

/**
 * The digest of a table: the hash of its row digests in order, with nothing between them. It stays hexadecimal, so 64
 * characters tell a table from the 43 of everything else.
 */
export async function tableDigest(rowDigests: readonly string[]): Promise<string> {
  const sum = createHash('sha256');
  const turn = openTurn();
  for (let start = 0; start < rowDigests.length; start += digestsAtATime) {
    if (turn.isOver()) await turn.next();
    sum.update(rowDigests.slice(start, start + digestsAtATime).join(''));
  }
  return sum.digest('hex');
}

const digestsAtATime = 1000;

/** Whether a word in the place of a digest is one by its form; versions (`v3`), `latest` and aliases are not. */
export function isContentHash(word: string): boolean {
  return /^(?:[A-Za-z0-9]{43}|[0-9a-fA-F]{64})$/.test(word);
}

/** Refs and paths take letters and digits only. The mapping loses a little: a hash may hold a genuine X or Y as well. */
function asWord(base64url: string): string {
  return base64url.replaceAll('-', 'X').replaceAll('_', 'Y');
}
