import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { HubFile } from './hub.ts';

/** The digest of a file on disk, of the kind that is known of it at the hub. */
export async function digestOf(path: string, { sizeBytes, digest }: HubFile): Promise<string> {
  const hash = createHash(digest.kind === 'sha256' ? 'sha256' : 'sha1');
  if (digest.kind === 'git') hash.update(`blob ${sizeBytes}\0`); // as git names a file's content
  for await (const part of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(part);
  return hash.digest('hex');
}
