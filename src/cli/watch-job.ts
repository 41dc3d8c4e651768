import { setTimeout } from 'node:timers/promises';
import type { OperationAnswer } from '../admin/operations.ts';
import type { Config } from '../config.ts';
import { ask } from './ask.ts';
import { describeEvents, describeJob, fitTo, isOver } from './show-job.ts';

const pollMs = 500;

/**
 * Shows a job, by default the newest one, until it ends: on a terminal as a picture that changes, elsewhere line by line,
 * and the whole picture at the end.
 * @returns the exit code
 */
export async function watchJob(config: Config, wanted: string | undefined): Promise<number> {
  const { stdout } = process;
  const events: OperationAnswer<'jobs.events'>['events'] = [];
  let shownLines = 0;
  let isFirst = true;
  for (let id = wanted; ; await setTimeout(pollMs)) {
    const after = events.at(-1)?.id ?? null;
    const answer = await ask(config, 'jobs.events', { ...(id === undefined ? {} : { id }), after });
    id = answer.job.id;
    const added = answer.events;
    const width = stdout.columns || 80;
    const over = isOver([...events, ...added]);
    if (!stdout.isTTY && !(over && isFirst)) {
      stdout.write(
        describeEvents(events, added)
          .map((line) => `${line}\n`)
          .join(''),
      );
    }
    events.push(...added);
    if (stdout.isTTY || over) {
      const all = describeJob({ ...answer, events }, width);
      const lines = over ? all : fitTo(all, { columns: width, rows: stdout.rows || 24 });
      if (shownLines > 0) stdout.write(`\x1b[${shownLines}A\x1b[J`); // draw over what is shown
      stdout.write(`${lines.join('\n')}\n`);
      shownLines = lines.length;
    }
    if (over) return over === 'training_ended' ? 0 : 1;
    isFirst = false;
  }
}
