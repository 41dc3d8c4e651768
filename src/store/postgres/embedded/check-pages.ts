import { open, readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pageChecksum, pageSize } from './page-checksum.ts';

export type PageCheck = { pages: number; damaged: string[] };

/**
 * Compares every page of PostgreSQL's tables and indexes with its checksum. PostgreSQL only does this when it reads a
 * page, so damage in data that is never read would go unnoticed. Can run while PostgreSQL runs: a page that does not
 * match is read again.
 * @param signal ends it early
 */
export async function checkPages(directory: string, signal: AbortSignal | null = null): Promise<PageCheck> {
  const check: PageCheck = { pages: 0, damaged: [] };
  // One buffer for all files: there are about a thousand, and a megabyte for each made V8 collect garbage all the time.
  const buffer = Buffer.alloc(pagesAtOnce * pageSize);
  for (const file of await relationFiles(directory)) {
    if (signal?.aborted) break;
    const { pages, damaged } = await checkFile(file, buffer);
    check.pages += pages;
    if (damaged.length > 0) {
      const more = damaged.length > 1 ? ` and ${damaged.length - 1} more` : '';
      check.damaged.push(`${relative(directory, file)}, page ${damaged[0]}${more}`);
    }
  }
  return check;
}

/** Describes damaged pages in one line, and what to do. */
export function describeDamagedPages(damaged: string[]): string {
  const shown = damaged.slice(0, 3).join('; ');
  return `${damaged.length} files hold damaged pages (${shown}${damaged.length > 3 ? '; …' : ''})`;
}
export const pagesAdvice = 'What they hold is not handed out. Restore the data directory from a backup.';

/** Tables and indexes are files of numbers, cut into pieces of 1 GiB: `16384`, `16384_fsm`, `16384.1`. */
const relationName = /^\d+(?:_(?:fsm|vm|init))?(?:\.(\d+))?$/;

async function relationFiles(directory: string): Promise<string[]> {
  const base = join(directory, 'base');
  const databases = (await readdir(base)).map((name) => join(base, name));
  const files: string[] = [];
  for (const folder of [join(directory, 'global'), ...databases]) {
    if (!(await stat(folder)).isDirectory()) continue;
    for (const name of await readdir(folder)) if (relationName.test(name)) files.push(join(folder, name));
  }
  return files;
}

const pagesAtOnce = 128;
const pagesOfPiece = 131_072;

async function checkFile(path: string, bytes: Buffer): Promise<{ pages: number; damaged: number[] }> {
  const file = await open(path).catch(() => null);
  if (file === null) return { pages: 0, damaged: [] }; // dropped in the meantime
  const firstOfPiece = Number(relationName.exec(path.slice(path.lastIndexOf('/') + 1))?.[1] ?? 0) * pagesOfPiece;
  const damaged: number[] = [];
  try {
    for (let page = 0; ; ) {
      const { bytesRead } = await file.read(bytes, 0, bytes.length, page * pageSize);
      const read = Math.floor(bytesRead / pageSize);
      for (let i = 0; i < read; i++) {
        const at = page + i;
        if (isSound(bytes.subarray(i * pageSize, (i + 1) * pageSize), firstOfPiece + at)) continue;
        const again = Buffer.alloc(pageSize);
        await file.read(again, 0, pageSize, at * pageSize);
        if (!isSound(again, firstOfPiece + at)) damaged.push(at);
      }
      page += read;
      if (read < pagesAtOnce) return { pages: page, damaged };
    }
  } finally {
    await file.close();
  }
}

/** A new page has no checksum yet. */
function isSound(page: Buffer, number: number): boolean {
  const isNew = page.readUInt16LE(14) === 0;
  if (isNew) return page.every((byte) => byte === 0);
  return page.readUInt16LE(8) === pageChecksum(page, number);
}
