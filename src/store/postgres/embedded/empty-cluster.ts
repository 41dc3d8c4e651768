import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { syncDirectory } from '../../sync-directory.ts';

/** What `initdb` is given: a cluster that was made with other parameters is another one. */
export const initdbParams = ['--wal-segsize=1'];

const { version } = createRequire(import.meta.url)(pgliteManifest()) as { version: string };
const folder = fileURLToPath(new URL('../../../../assets/postgres', import.meta.url));

/**
 * The files of an empty PostgreSQL cluster, compressed. `initdb` in WebAssembly takes seconds; `npm ci` in a clone and
 * `npm pack` run it once (`scripts/prepare-postgres.ts`). It has no user, password or data.
 */
export const emptyClusterFile: string = join(
  folder,
  `${[version, ...initdbParams].join('').replaceAll(/[^\w.]+/g, '-')}.zst`,
);

type Index = { folders: string[]; files: [path: string, size: number][] };

/**
 * Makes a directory a copy of the prepared cluster, if there is one of this version. The directory appears with all of its files,
 * on the disk, or not at all. @returns false if there is none, or it is damaged, or the directory is not empty
 */
export async function copyEmptyCluster(directory: string, file: string = emptyClusterFile): Promise<boolean> {
  if (!existsSync(file) || (existsSync(directory) && readdirSync(directory).length > 0)) return false;
  const part = partOf(directory);
  try {
    rmSync(part, { recursive: true, force: true });
    unpack(zstdDecompressSync(readFileSync(file)), part);
    await syncAll(part);
    renameSync(part, directory);
    await syncDirectory(dirname(directory));
    return true;
  } catch {
    rmSync(part, { recursive: true, force: true });
    return false;
  }
}

/** Where a copy is before it is complete. */
export const partOf = (directory: string): string => `${directory}.part`;

/** Writes the files of a cluster that is closed, for `copyEmptyCluster`. */
export function writeEmptyCluster(directory: string, file: string = emptyClusterFile): void {
  const params = {
    [constants.ZSTD_c_compressionLevel]: 15,
    [constants.ZSTD_c_enableLongDistanceMatching]: 1, // three databases are almost the same
    [constants.ZSTD_c_windowLog]: 25,
    [constants.ZSTD_c_checksumFlag]: 1, // damage is noticed
  };
  const compressed = zstdCompressSync(pack(directory), { params });
  mkdirSync(dirname(file), { recursive: true });
  const part = mkdtempSync(`${file}-`);
  try {
    writeFileSync(join(part, basename(file)), compressed);
    renameSync(join(part, basename(file)), file);
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}

/** The length of the index, the index, and the bytes of its files. */
function pack(directory: string): Buffer {
  const index: Index = { folders: [], files: [] };
  const contents: Buffer[] = [];
  for (const path of readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort()) {
    if (statSync(join(directory, path)).isDirectory()) {
      index.folders.push(path);
    } else {
      const content = readFileSync(join(directory, path));
      index.files.push([path, content.length]);
      contents.push(content);
    }
  }
  const head = Buffer.from(JSON.stringify(index));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  return Buffer.concat([length, head, ...contents]);
}

function unpack(bytes: Buffer, directory: string): void {
  let at = 4 + bytes.readUInt32LE();
  const { folders, files } = JSON.parse(bytes.toString('utf8', 4, at)) as Index;
  mkdirSync(directory, { mode: 0o700 });
  for (const path of folders) mkdirSync(join(directory, path), { mode: 0o700 });
  for (const [path, size] of files) {
    writeFileSync(join(directory, path), bytes.subarray(at, at + size), { mode: 0o600 });
    at += size;
  }
}

/** PostgreSQL only writes out what it changes. Many at a time share writes of the file system's journal. */
async function syncAll(directory: string): Promise<void> {
  const left = ['', ...readdirSync(directory, { recursive: true, encoding: 'utf8' })];
  const syncNext = async () => {
    for (let path = left.pop(); path !== undefined; path = left.pop()) {
      const handle = await open(join(directory, path));
      await handle.sync().finally(() => handle.close());
    }
  };
  await Promise.all(Array.from({ length: syncsAtOnce }, syncNext));
}

const syncsAtOnce = 64;

function pgliteManifest(): string {
  return join(dirname(fileURLToPath(import.meta.resolve('@electric-sql/pglite'))), '../package.json');
}
