import { createHash } from 'node:crypto';

/** Keys consist of plain segments: anything else could leave the directory or the prefix of the store. */
export function checkBlobKey(key: string): void {
  for (const segment of key.split('/')) {
    if (/^[\w=][\w.=-]*$/.test(segment)) continue;
    const shown = createHash('sha256').update(key).digest('hex').slice(0, 8);
    throw new Error(`A blob key may only hold letters, digits and _ . = - in its segments (key ${shown}).`);
  }
}
