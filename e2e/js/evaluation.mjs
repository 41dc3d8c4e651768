// An evaluation over a dataset with two trials.
import assert from 'node:assert/strict';
import * as weave from 'weave';

const client = await weave.init(process.argv[2]);

const dataset = new weave.Dataset({
  name: 'sums',
  rows: [
    { a: 1, expected: 2 },
    { a: 2, expected: 4 },
  ],
});
const exact = weave.op(({ modelOutput, datasetRow }) => modelOutput === datasetRow.expected, { name: 'exact' });
const model = weave.op(async ({ datasetRow }) => datasetRow.a + 1, { name: 'adder' });
const evaluation = new weave.Evaluation({ name: 'sums-evaluation', dataset, scorers: [exact] });
const summary = await evaluation.evaluate({ model, nTrials: 2 });
await client.waitForBatchProcessing();
assert.equal(summary.exact.true_count, 2);

const [root] = await client.getCalls({ trace_roots_only: true });
assert.equal(root.output.exact.true_fraction, 0.5);
assert.equal((await client.getCalls()).length, 13);

process.stdout.write(`${JSON.stringify({ root: root.id })}\n`);
