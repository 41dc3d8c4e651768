// Evals with the newest official SDK: create, run, poll, read and delete, and a model that grades.
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import OpenAI from 'openai';

const [, , project] = process.argv;
const client = new OpenAI({
  baseURL: `${process.env.WF_TRACE_SERVER_URL}/v1`,
  apiKey: process.env.WANDB_API_KEY,
  defaultHeaders: { 'X-Heddle-Project': project },
  maxRetries: 0,
});

const created = await client.evals.create({
  name: 'recorded',
  data_source_config: { type: 'custom', item_schema: { type: 'object' }, include_sample_schema: true },
  testing_criteria: [
    {
      type: 'string_check',
      name: 'same',
      operation: 'ilike',
      input: '{{ sample.output_text }}',
      reference: '{{ item.answer }}',
    },
  ],
});
const content = [
  { item: { answer: 'paris' }, sample: { output_text: 'It is Paris.' } },
  { item: { answer: 'rome' }, sample: { output_text: 'It is Oslo.' } },
];
const source = { type: 'file_content', content };
let run = await client.evals.runs.create(created.id, { data_source: { type: 'jsonl', source } });
assert.deepEqual(run.data_source.source, source);
while (run.status === 'queued' || run.status === 'in_progress') {
  await delay(50);
  run = await client.evals.runs.retrieve(run.id, { eval_id: created.id });
}
assert.deepEqual([run.status, run.result_counts], ['completed', { total: 2, passed: 1, failed: 1, errored: 0 }]);

const items = [];
for await (const item of client.evals.runs.outputItems.list(run.id, { eval_id: created.id, limit: 1 }))
  items.push(item);
assert.deepEqual(
  items.map(({ status, datasource_item }) => [status, datasource_item.answer]),
  [
    ['pass', 'paris'],
    ['fail', 'rome'],
  ],
);
const failed = await client.evals.runs.outputItems.list(run.id, { eval_id: created.id, status: 'fail' });
assert.deepEqual(failed.data, [items[1]]);
const { grader } = await client.fineTuning.alpha.graders.validate({ grader: created.testing_criteria[0] });
assert.equal(grader.type, 'string_check');
assert.equal((await client.evals.runs.delete(run.id, { eval_id: created.id })).deleted, true);
const deletion = await client.evals.delete(created.id);
process.stdout.write(`${JSON.stringify({ deletion })}\n`);
