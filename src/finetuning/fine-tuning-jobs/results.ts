import type { Postgres } from '../../store/postgres/postgres.ts';
import { listEvents, type TrainingEvent } from '../../store/postgres/training/events.ts';

/** What is stored with the end of a job. */
export type Results = { csv: string; trainedTokens: number };

const eventsTogether = 1000;

/** Reads the events of a job, and makes a line of each step, as OpenAI's result files have it. */
export async function readResults(postgres: Postgres, jobId: string): Promise<Results> {
  const lines = [columns.join(',')];
  let trainedTokens = 0;
  let [step, row] = [0, emptyRow()];
  for await (const { type, data } of eachEvent(postgres, jobId)) {
    if (type === 'gradient_step') {
      if (step > 0) lines.push(toLine(step, row));
      [step, row] = [step + 1, rowOf(data)];
      trainedTokens += numberOf(data.num_tokens ?? data['data/step_trainer_tokens']) ?? 0;
    } else if (type === 'validation' && step > 0) row.valid_loss = numberOf(data['val/loss']);
  }
  if (step > 0) lines.push(toLine(step, row));
  return { csv: `${lines.join('\n')}\n`, trainedTokens };
}

const columns = ['step', 'train_loss', 'train_accuracy', 'valid_loss', 'valid_mean_token_accuracy'] as const;

type Row = Record<Exclude<(typeof columns)[number], 'step'>, number | null>;

function emptyRow(): Row {
  return { train_loss: null, train_accuracy: null, valid_loss: null, valid_mean_token_accuracy: null };
}

function rowOf(data: TrainingEvent['data']): Row {
  return { ...emptyRow(), train_loss: numberOf(data['loss/train']) };
}

function toLine(step: number, row: Row): string {
  return columns.map((name) => (name === 'step' ? step : (row[name] ?? ''))).join(',');
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

async function* eachEvent(postgres: Postgres, jobId: string): AsyncGenerator<TrainingEvent> {
  let afterSequence: number | null = null;
  while (true) {
    const events = await listEvents(postgres, { jobId, afterSequence, limit: eventsTogether });
    yield* events;
    if (events.length < eventsTogether) return;
    afterSequence = (afterSequence ?? -1) + events.length; // events are numbered from 0 without gaps
  }
}
