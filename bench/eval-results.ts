import { randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import { benchProject, startHeddle } from './support/heddle.ts';
import { report } from './support/report.ts';

/**
 * How soon the results of evaluations are answered: `node bench/eval-results.ts [rows] [models] [scorers]`, by default
 * 10,000 rows of a dataset, tried by 5 models and judged by 4 scorers.
 */

const [rowCount = 10_000, modelCount = 5, scorerCount = 4] = process.argv.slice(2).map(Number);
const heddle = await startHeddle();

async function post(path: string, body: unknown): Promise<string> {
  const headers = { authorization: `Bearer ${heddle.key}`, 'content-type': 'application/json' };
  const response = await fetch(heddle.address + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text.slice(0, 500)}`);
  return text;
}

const digestOf = (i: number) => `row${i}`.padEnd(43, 'x');
const started = Date.now() - 3_600_000;

/** A call as the Python SDK writes it, at about a real size. */
function callOf(parent: { id: string; trace_id: string } | null, op: string, at: number, more: object) {
  const id = v7({ msecs: at });
  return {
    ...{ project_id: benchProject, id, trace_id: parent?.trace_id ?? randomUUID(), parent_id: parent?.id ?? null },
    op_name: `weave:///${benchProject}/op/${op}:${'a'.repeat(43)}`,
    started_at: new Date(at).toISOString(),
    ended_at: new Date(at + 800).toISOString(),
    attributes: { weave: { client_version: '0.54.0', source: 'python-sdk' }, _weave_eval_meta: { declarative: true } },
    ...{ inputs: {}, output: null, summary: {}, ...more },
  };
}

async function record(model: number): Promise<string> {
  const modelRef = `weave:///${benchProject}/object/m${model}:${'b'.repeat(43)}`;
  const root = callOf(null, 'Evaluation.evaluate', started, {
    inputs: { self: 'weave:///bench/bench/object/e:v0', model: modelRef },
  });
  let batch: object[] = [root];
  for (let i = 0; i < rowCount; i++) {
    const at = started + i * 10;
    const scores = Object.fromEntries(
      Array.from({ length: scorerCount }, (_, s) => [
        `scorer${s}`,
        s % 2 === 0 ? ((i * 7 + s + model) % 10) / 10 : { ok: i % 3 > 0 },
      ]),
    );
    const example = `weave:///${benchProject}/object/ds:${'c'.repeat(43)}/attr/rows/id/${digestOf(i)}`;
    const answer = `The answer to question ${i} by model ${model}. `.repeat(8);
    const trial = callOf(root, 'Evaluation.predict_and_score', at, {
      inputs: { self: 'weave:///bench/bench/object/e:v0', model: modelRef, example },
      output: { output: answer, scores, model_latency: 0.8 },
    });
    const usage = { 'gpt-4o': { prompt_tokens: 300, completion_tokens: 80, total_tokens: 380, requests: 1 } };
    batch.push(
      trial,
      callOf(trial, `M${model}.predict`, at, {
        inputs: { self: modelRef, question: `${example}/key/q` },
        output: answer,
        summary: { usage },
      }),
    );
    for (const [name, output] of Object.entries(scores)) {
      batch.push(callOf(trial, `${name}.score`, at, { inputs: { self: 'weave:///s', output: answer }, output }));
    }
    if (batch.length >= 900 || i === rowCount - 1) {
      await post(`/v2/${benchProject}/calls/complete`, { batch });
      batch = [];
    }
  }
  return root.id;
}

const recordedAt = performance.now();
const ids = await Promise.all(Array.from({ length: modelCount }, (_, model) => record(model)));
report('recording', { s: (performance.now() - recordedAt) / 1000 });

const questions: [string, object][] = [
  ['first 100 rows', { limit: 100 }],
  ['first 100 rows with costs', { limit: 100, include_costs: true }],
  ['100 rows by a score', { limit: 100, sort_by: [{ field: 'scores.scorer0', direction: 'desc' }] }],
  [
    '100 rows where a score is low',
    { limit: 100, filters: [{ query: { $expr: { $lt: [{ $getField: 'scores.scorer0' }, { $literal: 0.3 }] } } }] },
  ],
  ['100 rows by their output', { limit: 100, sort_by: [{ field: 'output.output', direction: 'asc' }] }],
  ['summary', { include_rows: false, include_summary: true, include_costs: true }],
  ['first 100 rows and summary', { limit: 100, include_summary: true }],
  ['all rows', {}],
];
for (const [name, body] of questions) {
  const times: number[] = [];
  let bytes = 0;
  for (let again = 0; again < 3; again++) {
    const startedAt = performance.now();
    bytes = (await post(`/v2/${benchProject}/eval_results/query`, { evaluation_call_ids: ids, ...body })).length;
    times.push(performance.now() - startedAt);
  }
  report(name, { ms: times.sort((a, b) => a - b)[1]!, kB: bytes / 1000 });
}
await heddle.stop();
heddle.remove();
