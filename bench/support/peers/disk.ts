import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** What the files below a directory take on the disk. */
export function diskBytes(directory: string): number {
  const entries = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return entries.reduce((sum, entry) => sum + lstatSync(join(directory, entry)).blocks * 512, 0);
}
