import { createHash, hash } from 'node:crypto';
import { openTurn } from '../../util/turns.ts';
import type { DigestList } from './digest-list.ts';

/**
 * The digest of an object version or table row: the hash of the UTF-8 bytes of its canonical JSON, with internal refs.
 */
export function textDigest(canonical: string): string {
  return asWord(hash('sha256', canonical, 'base64url'));
}

/** The digest of a file: the hash of its bytes. */
export function bytesDigest(bytes: Uint8Array): string {
  return asWord(hash('sha256', bytes, 'base64url'));
}

/** The digest of bytes that are hashed incrementally: their SHA-256 in base64url. */
export function digestOfHash(sha256: string): string {
  return asWord(sha256);
}

/**
 * The digest of a table: the hash of its concatenated row digests, computed in turns. It stays hexadecimal, so its 64
 * characters distinguish a table from other digests, which have 43.
 */
export async function tableDigest({ bytes }: DigestList): Promise<string> {
  const sum = createHash('sha256');
  const turn = openTurn();
  for (let start = 0; start < bytes.length; start += bytesAtATime) {
    if (turn.isOver()) await turn.next();
    sum.update(bytes.subarray(start, start + bytesAtATime));
  }
  return sum.digest('hex');
}

const bytesAtATime = 512 * 1024;

/** Whether a string in the position of a digest has the form of one; versions (`v3`), `latest` and aliases do not. */
export function isContentHash(word: string): boolean {
  return /^(?:[A-Za-z0-9]{43}|[0-9a-fA-F]{64})$/.test(word);
}

/**
 * Refs and paths only allow letters and digits. The mapping is not reversible: a hash can also contain a genuine X or
 * Y.
 */
function asWord(base64url: string): string {
  return base64url.replaceAll('-', 'X').replaceAll('_', 'Y');
}
