import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readConfig } from '../src/config.ts';
import { newId, type ProjectId } from '../src/contract/ids.ts';
import type { CallRow } from '../src/domain/calls/call-row.ts';
import { openLog } from '../src/log.ts';
import { openContext } from '../src/open/context.ts';
import { endKeptIndex } from '../src/services/suites/suite-index.ts';
import { trainingKeys } from '../src/services/training/training-keys.ts';
import { toInsertLine } from '../src/store/clickhouse/calls/call-line.ts';
import { createJob } from '../src/store/postgres/training/jobs.ts';
import { prose } from './support/prose.ts';
import { randomFrom } from './support/random.ts';
import { callSpacing, realisticCall } from './support/realistic-calls.ts';
import { report } from './support/report.ts';

/**
 * What it costs to compare a training job with the suites of its project, from the start of the check to its end, with embedded stores: the
 * rows of the suite are read and indexed, those of the job are read and searched for, and what matches is stored. `texts`: rows name no
 * calls; `calls`: each row of both sides names one, whose trace, thread and user are read. `again`: the same suite, whose index is still there.
 *
 *     npm run bench -- wall [--rows 10000] [--suite 10000] [--runs 3] [--characters 1200]
 */
const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '10000' },
    suite: { type: 'string', default: '10000' },
    runs: { type: 'string', default: '3' },
    characters: { type: 'string', default: '1200' },
  },
});
const [rows, suiteRows, runs, characters] = [values.rows, values.suite, values.runs, values.characters].map(Number) as [
  number,
  number,
  number,
  number,
];

const data = mkdtempSync(join(tmpdir(), 'heddle-wall-'));
const config = readConfig({}, { HEDDLE_DATA: data, HEDDLE_LOG_LEVEL: 'error' });
const context = await openContext(config, openLog(config));
const { identity, services, blobs, clickhouse, postgres } = context;
await identity.ensureOwner({ name: 'ent', apiKey: '' });
const caller = (await identity.findOwner())!;
await context.startJobs(); // which scan suites; the job that is compared is not among them
const { signal } = new AbortController();
const insertedTogether = 5000;

try {
  report('machine', { processors: cpus().length, '': cpus()[0]!.model });
  for (const kind of ['texts', 'calls'] as const) await measure(kind);
} finally {
  await context.close();
  rmSync(data, { recursive: true, force: true });
}
process.exit(); // connections that are kept open would hold it

async function measure(kind: 'texts' | 'calls'): Promise<void> {
  const name = `ent/${kind}`;
  const id = await identity.projectForWrite(caller, name);
  const owner = { project: { id, name }, caller };
  const calls = kind === 'calls' ? await addCalls(id, rows + suiteRows) : null;
  const exam = Array.from({ length: suiteRows }, (_, n) => {
    const [messages, source] = [chat(n), calls?.[n]?.id];
    return JSON.stringify(
      source === undefined ? { messages } : { messages, source_call: `weave:///${name}/call/${source}` },
    );
  });
  await services.resources.createDataset({ name: 'exam', description: null, rows: exam }, owner);
  await services.suites.freeze(
    { name: 'exam', dataset: 'exam', purpose: 'held_out', threadColumn: null, alpha: 0.05 },
    owner,
  );
  while ((await services.suites.read('exam', owner)).scan.endedAt === null) await wait(100);
  const model = await services.training.models.create({
    ...{ projectId: id, name: 'agent', baseModel: 'heddle/tiny' },
    ...{ createdBy: caller.userId, returnExisting: true },
  });
  const jobId = newId();
  await blobs.put(trainingKeys.jobData(id, jobId), lines(calls));
  await createJob(postgres, {
    ...{ id: jobId, modelId: model.id, kind: 'sft', config: {}, metrics: {} },
    ...{ createdBy: caller.userId, allowsSuiteRows: true },
  });
  for (let run = 0; run < runs; run++) {
    await endKeptIndex();
    await check(`${kind}, new index`, id, jobId);
    await check(`${kind}, again`, id, jobId);
  }
  await endKeptIndex();
}

async function check(name: string, projectId: ProjectId, jobId: string): Promise<void> {
  const job = (await services.training.jobs.find(jobId))!;
  const open = async () => (await blobs.get(trainingKeys.jobData(projectId, jobId)))!.stream;
  const before = process.cpuUsage();
  const startedAt = performance.now();
  await services.suites.checkJob(job, { open }, { projectId, signal, assertHeld: async () => {} });
  const wallMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(before);
  const found = (await services.suites.ofJob(jobId, suiteRows)).length;
  const cpuMs = (user + system) / 1000;
  report(name, {
    'ms of processor a row': cpuMs / rows,
    'ms of it in the system': system / 1000 / rows,
    'ms a row': wallMs / rows,
    'rows of the suite found': found,
  });
}

/** One line in a hundred is a row of the suite. */
async function* lines(calls: CallRow[] | null): AsyncGenerator<Uint8Array> {
  for (let n = 0; n < rows; n++) {
    const call_id = calls?.[suiteRows + n]?.id;
    yield Buffer.from(
      `${JSON.stringify({ messages: chat(n % 100 === 0 ? n % suiteRows : suiteRows + n), call_id })}\n`,
    );
  }
}

function chat(n: number) {
  const random = randomFrom(n + 1);
  return [
    {
      role: 'system',
      content: 'You are a helpful assistant of a shop for garden tools. Answer in the language of the customer.',
    },
    { role: 'user', content: prose(random, characters / 3) },
    { role: 'assistant', content: prose(random, (characters * 2) / 3) },
  ];
}

/** In traces of twelve; calls of the suite and of the job share none, except where they meet. */
async function addCalls(projectId: ProjectId, count: number): Promise<CallRow[]> {
  const newest = Date.UTC(2026, 0, 1) * 1000;
  const calls = Array.from({ length: count }, (_, n) =>
    realisticCall(projectId, n, newest - (count - n) * callSpacing),
  );
  for (let from = 0; from < count; from += insertedTogether) {
    const part = calls.slice(from, from + insertedTogether);
    await clickhouse.insert('calls', Buffer.from(part.map(toInsertLine).join('')));
  }
  return calls;
}
