import type { Progress } from '../admin/pull/progress.ts';
import { humanBytes } from '../util/human-bytes.ts';

/** Shows how far an operation is: one line that changes on a terminal, a line for each file elsewhere. */
export function showProgress(out: { write(text: string): unknown; isTTY?: boolean }) {
  let last = '';
  return {
    show(progress: Progress): void {
      const line = out.isTTY ? withShare(progress) : whatOf(progress);
      if (line === last) return;
      last = line;
      out.write(out.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
    },
    end(): void {
      if (out.isTTY && last !== '') out.write('\r\x1b[K');
    },
  };
}

function whatOf({ step, file }: Progress): string {
  return file === undefined ? `${step} …` : `${step} ${file}`;
}

function withShare(progress: Progress): string {
  const { doneBytes, totalBytes } = progress;
  if (doneBytes === undefined || !totalBytes) return whatOf(progress);
  const percent = Math.floor((100 * doneBytes) / totalBytes);
  return `${whatOf(progress)}  ${percent} % of ${humanBytes(totalBytes)}`;
}
