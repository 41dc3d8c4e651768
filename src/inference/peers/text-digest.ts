import { createHash, type Hash } from 'node:crypto';
import type { TextFile } from '../../chat/tokenizer/text-files.ts';

/** A text file in the list that another process gets. */
export type ListedFile = Pick<TextFile, 'name' | 'bytes'>;

/** The digest of text files, to which their contents are added in the same order. */
export function textDigest(files: ListedFile[]): Hash {
  return createHash('sha256').update(JSON.stringify(files.map(({ name, bytes }) => [name, bytes])));
}
