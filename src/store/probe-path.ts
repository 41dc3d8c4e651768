import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { withinMs } from '../util/within-ms.ts';
import { DataDirectoryError } from './data-directory.ts';

/** The longest time that the file system of the data may take to respond. */
const answerMsMax = 10_000;

/**
 * Checks a data directory without waiting forever. The stores are then opened in the main thread, where a path on a
 * dead network mount, or a pipe in place of a file, would hang the process without a message.
 * @throws DataDirectoryError
 */
export async function probeDataPath(path: string, timeoutMs = answerMsMax): Promise<void> {
  await withinMs(timeoutMs, look(path), () => {
    throw hanging(path, timeoutMs);
  });
}

/** Opening anything other than a file may wait for another process. */
async function look(path: string): Promise<void> {
  for (const name of ['heddle.json', 'heddle.json.part', 'lock', 'lock-journal', 'ballast']) {
    const file = join(path, name);
    const found = await stat(file).catch(() => null); // the code that opens it explains missing or unreadable files
    if (found === null || found.isFile()) continue;
    throw new DataDirectoryError(
      'unusable',
      `${file} is not a regular file. Remove it, or give another directory with --data or HEDDLE_DATA.`,
    );
  }
}

function hanging(path: string, timeoutMs: number): DataDirectoryError {
  return new DataDirectoryError(
    'hanging',
    `${path} does not answer: no reply from its file system within ${timeoutMs / 1000} s. If it is a network mount, check ` +
      'that its server is up; or give another directory with --data or HEDDLE_DATA.',
  );
}
