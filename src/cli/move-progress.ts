import { humanBytes } from '../util/human-bytes.ts';

type Progress = { part: string; table: string; rows: number; rowsTotal: number; bytes: number };

const terminalMs = 200;
const linesMs = 10_000;

/** Shows how far a move is: one line that changes on a terminal, a line for each table and every 10 s elsewhere. */
export function showMove(out: { write(text: string): unknown; isTTY?: boolean }, now = () => performance.now()) {
  let begun: { part: string; at: number; rows: number } | null = null;
  let shown = { table: '', at: Number.NEGATIVE_INFINITY };
  return {
    show(progress: Progress): void {
      const { part, table } = progress;
      if (begun?.part !== part) begun = { part, at: now(), rows: progress.rows };
      const isDue = now() - shown.at >= (out.isTTY ? terminalMs : linesMs);
      if (!isDue && (out.isTTY || shown.table === table)) return;
      shown = { table, at: now() };
      const line = describe(progress, { seconds: (now() - begun.at) / 1000, rowsBefore: begun.rows });
      out.write(out.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
    },
    end(): void {
      if (out.isTTY) out.write('\r\x1b[K');
    },
  };
}

function describe(progress: Progress, { seconds, rowsBefore }: { seconds: number; rowsBefore: number }): string {
  const { part, table, rows, rowsTotal, bytes } = progress;
  const rate = (rows - rowsBefore) / seconds;
  const done = `${part} ${table}  ${count(rows)} of ${count(rowsTotal)} (${percent(rows, rowsTotal)} %)`;
  if (!(seconds >= 1 && rate > 0)) return done;
  const left = humanTime(Math.max(0, rowsTotal - rows) / rate);
  return `${done}, ${count(Math.round(rate))}/s, ${humanBytes(bytes / seconds)}/s, ${left} left`;
}

/** Rows that are copied again after an interruption count twice. */
function percent(rows: number, total: number): number {
  return Math.min(100, Math.floor((100 * rows) / Math.max(total, 1)));
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}

function humanTime(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
