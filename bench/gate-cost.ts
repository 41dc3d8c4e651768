import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readConfig } from '../src/config.ts';
import { gateRequest } from '../src/contract/gates/create.ts';
import { newId } from '../src/contract/ids.ts';
import { planGate } from '../src/evaluation/gates/plan-gate.ts';
import { runGate } from '../src/evaluation/gates/run-gate.ts';
import { runEvaluation } from '../src/evaluation/run-evaluation.ts';
import { openLog } from '../src/log.ts';
import { openContext } from '../src/open/context.ts';
import { report } from './support/report.ts';

/**
 * What a gate adds to its answers: a gate of two models that are alike asks all threads of a suite, and two evaluations ask the same rows.
 * Processor time is that of the server with its embedded stores, without the process of the model.
 *
 *     npm run bench -- gate-cost [--threads 500] [--rows 1] [--runs 3]
 *
 * `--rows`: of each thread. The first run warms up and is not shown.
 */
const { values } = parseArgs({
  options: {
    threads: { type: 'string', default: '500' },
    rows: { type: 'string', default: '1' },
    runs: { type: 'string', default: '3' },
  },
});
const [threads, rowsPerThread, runs] = [values.threads, values.rows, values.runs].map(Number) as [
  number,
  number,
  number,
];

const data = mkdtempSync(join(tmpdir(), 'heddle-gate-cost-'));
const config = readConfig({}, { HEDDLE_DATA: data, HEDDLE_LOG_LEVEL: 'error' });
const context = await openContext(config, openLog(config));
const { identity, services } = context;
await identity.ensureOwner({ name: 'ent', apiKey: '' });
await context.startJobs(); // which scan the suite; the gates and evaluations run here
const caller = (await identity.findOwner())!;
const name = 'ent/gates';
const owner = { project: { id: await identity.projectForWrite(caller, name), name }, caller };
const options = { signal: new AbortController().signal, report() {}, assertHeld: async () => {} };

try {
  const rows = Array.from({ length: threads * rowsPerThread }, (_, n) =>
    JSON.stringify({ word: `word ${n}`, thread: `t${n % threads}`, language: n % 10 === 0 ? 'de' : 'en' }),
  );
  await services.resources.createDataset({ name: 'words', description: null, rows }, owner);
  const suite = { name: 'words', dataset: 'words', purpose: 'gate' as const, threadColumn: 'thread', alpha: 0.05 };
  await services.suites.freeze(suite, owner);
  while ((await services.suites.read('words', owner)).scan.endedAt === null) await wait(100);
  report('machine', { processors: cpus().length, '': cpus()[0]!.model });
  for (let run = 0; run <= runs; run++) await compare(run > 0);
} finally {
  await context.close();
  rmSync(data, { recursive: true, force: true });
}
process.exit(); // connections that are kept open would hold it

async function compare(isShown: boolean): Promise<void> {
  const score = 'regex:[^]{3}';
  const request = gateRequest.parse({
    ...{ suite: 'words', candidate: 'heddle/tiny', incumbent: 'heddle/tiny', scorers: [score] },
    model_params: { messages_template: [{ role: 'user', content: 'Say {word}' }], max_tokens: 4, temperature: 0 },
    target: { metric: score, gain: 0.0001 },
    guardrails: [
      { metric: 'latency', measure: { kind: 'share_above', limit: 60 }, margin: 0.001 },
      { metric: 'output_tokens', measure: { kind: 'capped', cap: 100 }, margin: 0.1 },
    ],
    watched: [{ metric: score, harm: 0.5, slice: { column: 'language', value: 'de' } }],
  });
  const planned = await planGate(context, request, owner);
  const { id, evaluationRef, candidate, incumbent } = await services.gates.add(
    { ...planned, id: newId() },
    owner,
    async () => {},
  );
  const alone = await cost(async () => {
    for (const { ref } of [candidate, incumbent]) {
      await runEvaluation(context, { runId: newId(), owner, evaluation: evaluationRef, model: ref }, options);
    }
  });
  const gate = await cost(() => runGate(context, id, owner, options));
  if (!isShown) return;
  const ended = await services.gates.progress(await services.gates.read(id, owner), 0);
  if (ended.threads !== threads) throw new Error(`The gate ended after ${ended.threads} threads.`);
  const figures = (of: typeof gate) => ({
    'ms of processor a thread': of.cpuMs / threads,
    'ms a thread': of.wallMs / threads,
  });
  report('answers alone', figures(alone));
  report('gate', figures(gate));
  report('added', figures({ cpuMs: gate.cpuMs - alone.cpuMs, wallMs: gate.wallMs - alone.wallMs }));
}

async function cost(work: () => Promise<void>): Promise<{ cpuMs: number; wallMs: number }> {
  const before = process.cpuUsage();
  const startedAt = performance.now();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { cpuMs: (user + system) / 1000, wallMs: performance.now() - startedAt };
}
