import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { heddleCommand } from '../../testing/heddle-process.ts';
import { type Heddle, startHeddle } from '../harness/heddle.ts';
import { testDataDirectory } from '../harness/heddle-for-file.ts';
import { type Fuzz, openFuzz } from './fuzz.ts';
import { findingsText, tallyTable } from './report.ts';

/** Other requests: `FUZZ_SEED=7 npx vitest run e2e/fuzz`. For longer: `npm run test:long`, `npm run fuzz -- --minutes 60`. */
const seed = Number(process.env.FUZZ_SEED ?? 1);
const isLong = process.env.TEST_LONG !== undefined;
const perOperation = isLong ? 120 : 25;
const sequences = isLong ? 30 : 8;
/** Far above what a request takes, since other tests may keep the machine busy. */
const answerMsMax = 60_000;

const data = testDataDirectory();
let server: Heddle;
let fuzz: Fuzz;
beforeAll(async () => {
  server = await startHeddle(data, {}, heddleCommand);
  fuzz = await openFuzz(server, answerMsMax);
  await fuzz.round({ perOperation, sequences, seed });
}, 600_000);
afterAll(async () => {
  await server?.end('SIGKILL');
  rmSync(data, { recursive: true, force: true });
});

test('no request is answered with a 5xx, late, in another shape than described, or with a secret in the log', () => {
  expect(fuzz.findings.size, `seed ${seed}\n${findingsText(fuzz.findings.values())}`).toBe(0);
});

/** They succeed only while a job waits or runs, which is a matter of moments here. Other tests pause jobs. */
const momentary = /(fine_tuning\/jobs\/\{fine_tuning_job_id\}\/(cancel|pause)|\/(training-)?jobs\/\{\w+\}\/resume)$/;

/**
 * They succeed only for chats, some of them for those whose tokens the engine has recorded. e2e/web/training-and-playground.test.ts and
 * src/api/suites/hold-out.test.ts have these.
 */
const trainsOnChats = /\/calls\/(train(_sft)?(\/preview)?|hold_out)$/;

/** Most succeed only in an open session, with models in training. e2e/tinker-api and src/api/tinker have these. */
const ofTinker = /\/api\/v1\//;

/** They need a plan whose parts agree, and the name of a policy. src/api/policies has these. */
const ofPolicies = /\/policies(\/\{name\}.*)?$/;

/** They need a suite, models and a plan that agree. src/api/gates has these. */
const ofGates = /\/gates(\/\{gate_id\}.*)?$/;

/** They need a suite, a policy and a plan that agree. src/api/loops has these. */
const ofLoops = /\/loops(\/\{name\}.*)?$/;

/** They need functions, models and inferences of a project. e2e/tensorzero and src/api/tensorzero have these. */
const ofTensorZero = /\/tensorzero\//;
const exceptions = [momentary, trainsOnChats, ofTinker, ofPolicies, ofGates, ofLoops, ofTensorZero];

test('every operation is tried and answers some request with success', () => {
  const without = [...fuzz.tally].filter(([, counts]) => !counts['2xx']).map(([name]) => name);
  expect(
    without.filter((name) => !exceptions.some((known) => known.test(name))),
    tallyTable(fuzz.tally),
  ).toEqual([]);
});

test('the server works afterwards, and ends in order', async () => {
  const project = server.newProject();
  const id = randomUUID();
  const now = new Date().toISOString();
  const call = { project_id: project, id, trace_id: id, op_name: 'op', started_at: now, ended_at: now };
  const batch = [{ ...call, attributes: {}, inputs: {}, output: 'there', summary: {} }];
  expect(await server.post(`/v2/${project}/calls/complete`, { batch })).toMatchObject({ status: 200 });
  const read = await server.post('/call/read', { project_id: project, id });
  expect(read.json.call.output).toBe('there');
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
});
