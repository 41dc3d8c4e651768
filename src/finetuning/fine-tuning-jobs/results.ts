import type { Postgres } from '../../store/postgres/postgres.ts';
import { listEvents, type TrainingEvent } from '../../store/postgres/training/events.ts';

/** What is stored with the end of a job. */
type Results = { csv: string; trainedTokens: number };

/** The columns of OpenAI's result files, and those of jobs with rewards. */
const columns = ['step', 'train_loss', 'train_accuracy', 'valid_loss', 'valid_mean_token_accuracy'];
const rewardColumns = ['train_mean_reward', 'valid_mean_reward'];

const eventsTogether = 1000;

/** Reads the events of a job, and makes a line of each step. */
export async function readResults(postgres: Postgres, jobId: string): Promise<Results> {
  const rows: Record<string, unknown>[] = [];
  let trainedTokens = 0;
  for await (const { type, data } of eachEvent(postgres, jobId)) {
    if (type === 'gradient_step') {
      const { 'loss/train': loss, accuracy, reward } = data;
      rows.push({ step: rows.length + 1, train_loss: loss, train_accuracy: accuracy, train_mean_reward: reward });
      trainedTokens += Number(data.num_tokens ?? data['data/step_trainer_tokens'] ?? 0);
    } else if (type === 'validation' && rows.length > 0) {
      const { 'val/loss': loss, 'val/accuracy': accuracy, 'val/reward': reward } = data;
      const validated = { valid_loss: loss, valid_mean_token_accuracy: accuracy, valid_mean_reward: reward };
      Object.assign(rows.at(-1)!, validated);
    }
  }
  const hasRewards = rows.some((row) => row.train_mean_reward !== undefined);
  const names = hasRewards ? [...columns, ...rewardColumns] : columns;
  const lines = [names, ...rows.map((row) => names.map((name) => row[name] ?? ''))];
  return { csv: lines.map((line) => `${line.join(',')}\n`).join(''), trainedTokens };
}

async function* eachEvent(postgres: Postgres, jobId: string): AsyncGenerator<TrainingEvent> {
  for (let read = 0; ; read += eventsTogether) {
    const afterSequence = read === 0 ? null : read - 1; // events are numbered from 0 without gaps
    const events = await listEvents(postgres, { jobId, afterSequence, limit: eventsTogether });
    yield* events;
    if (events.length < eventsTogether) return;
  }
}
