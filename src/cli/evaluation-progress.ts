import type { OperationAnswer } from '../admin/operations.ts';

/** Shows the progress of an evaluation: one updating line in a terminal, otherwise a line per 10 %. */
export function evaluationProgress(out: Out, title: string) {
  let last = '';
  return {
    show({ progress }: Pick<OperationAnswer<'eval.status'>, 'progress'>): void {
      if (progress === null && last !== '') return; // it has just ended
      const line = progress === null ? withTitle('waiting') : lineOf(progress);
      if (line === last) return;
      last = line;
      out.write(out.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
    },
    end(): void {
      if (out.isTTY && last !== '') out.write('\r\x1b[K');
    },
  };

  function lineOf({ done, total }: { done: number; total: number }): string {
    if (out.isTTY) return withTitle(`${bar(done, total)} ${done} of ${total} answers`);
    const tenth = Math.floor((10 * done) / Math.max(total, 1));
    return `${title}: ${10 * tenth} % of ${total} answers`;
  }

  /** A line that is wider than the terminal could not be replaced by the next one. */
  function withTitle(rest: string): string {
    const room = Math.max(0, (out.isTTY ? (out.columns ?? 80) : Number.POSITIVE_INFINITY) - rest.length - 3);
    return `${title.length <= room ? title : `${title.slice(0, Math.max(0, room - 1))}…`}: ${rest}`;
  }
}

type Out = { write(text: string): unknown; isTTY?: boolean; columns?: number };

const width = 24;

function bar(done: number, total: number): string {
  const filled = total === 0 ? width : Math.round((width * done) / total);
  return '█'.repeat(filled) + '░'.repeat(width - filled);
}
