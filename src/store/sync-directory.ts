import { open } from 'node:fs/promises';

/** Makes the names in a directory durable: a file's own sync does not. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
