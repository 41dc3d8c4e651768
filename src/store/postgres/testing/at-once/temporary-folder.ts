import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder for the blobs of one test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-at-once-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}
