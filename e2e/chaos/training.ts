import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Json } from '../kills/client.ts';
import { expectEqual } from '../kills/ledger.ts';
import type { Writer } from '../kills/writers.ts';
import { until } from './waiting.ts';

const epochs = 3;
/** Until the next job is created: a job whose process is frozen may take much longer. */
const waitSeconds = 15;
const line = JSON.stringify({
  messages: [
    { role: 'user', content: 'What is your name?' },
    { role: 'assistant', content: 'I am Ada.' },
  ],
});
const lines = 8;

/** Trains a small model in many steps, each of which is an event. */
export function train(jobs: Set<string>): Writer {
  return async (client, _project, ledger) => {
    let job = '';
    const create = async () => {
      job = await createJob(client);
    };
    await ledger.change([], create, []);
    jobs.add(job);
    await until(waitSeconds, async () => hasEnded(await read(client, job)));
  };
}

export async function createJob(client: Client): Promise<string> {
  const form = new FormData();
  form.append('purpose', 'fine-tune');
  form.append('file', new Blob([`${line}\n`.repeat(lines)]), 'data.jsonl');
  const uploaded = await client.try('POST', '/v1/files', form);
  if (uploaded.status !== 200) throw new Error(`POST /v1/files: ${uploaded.status} `);
  const hyperparameters = { n_epochs: epochs, batch_size: 1 };
  const method = { type: 'supervised', supervised: { hyperparameters } };
  const body = { model: 'heddle/tiny', training_file: uploaded.json.id, method };
  return (await client.ask('POST', '/v1/fine_tuning/jobs', body)).id;
}

/** Jobs whose events are not those of one attempt: each step once, in one order, and one end. */
export async function findMistrained(client: Client, jobs: Set<string>): Promise<string[]> {
  const wrong: string[] = [];
  for (const job of jobs) {
    const until = performance.now() + 90_000;
    while (!hasEnded(await read(client, job)) && performance.now() < until) await sleep(1000);
    const { status, error } = await read(client, job);
    const problem = expectEqual([status, await countEvents(client, job)], ['succeeded', expected]);
    if (problem !== null) wrong.push(`training job ${job}: ${problem} ${error?.message ?? ''}`);
  }
  return wrong;
}

const expected = { started: 1, steps: lines * epochs, checkpoints: 2, ended: 1 };

async function countEvents(client: Client, job: string): Promise<typeof expected> {
  const path = `/v1/fine_tuning/jobs/${job}/events?limit=1000`;
  const messages: string[] = (await client.ask('GET', path)).data.map(({ message }: Json) => message);
  const count = (kind: RegExp) => messages.filter((message) => kind.test(message)).length;
  return {
    started: count(/^Fine-tuning job started/),
    steps: count(/^Step \d+\/\d+: training loss/),
    checkpoints: count(/^Checkpoint created/),
    ended: count(/successfully completed/),
  };
}

const read = (client: Client, job: string) => client.ask('GET', `/v1/fine_tuning/jobs/${job}`);
const hasEnded = ({ status }: Json) => ['succeeded', 'failed', 'cancelled'].includes(status);
