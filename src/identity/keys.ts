import { createHash, randomBytes } from 'node:crypto';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/**
 * The SDKs reject keys shorter than 40 characters, counted after the last dash: heddle's keys are longer and have no
 * dash.
 */
const keyLength = 48;

/** A new API key. */
export function makeKey(): string {
  return randomLetters(keyLength);
}

/** The stored form of a key. Keys are random, so a fast hash is safe. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Identifies a key in a list. */
export function keyEnding(key: string): string {
  return key.slice(-4);
}

/** Whether a string has the form of a key. */
export function isKeyShaped(text: string): boolean {
  return /^[A-Za-z0-9]{40,512}$/.test(text);
}

/** Random letters and digits, uniformly distributed. */
export function randomLetters(length: number): string {
  let letters = '';
  while (letters.length < length) {
    for (const byte of randomBytes(length)) {
      const fair = byte < 256 - (256 % alphabet.length);
      if (fair && letters.length < length) letters += alphabet[byte % alphabet.length];
    }
  }
  return letters;
}
