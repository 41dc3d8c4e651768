// An evaluation whose model fails on three of four rows, with a rate and a number.
import * as weave from 'weave';

const client = await weave.init(process.argv[2]);

const dataset = new weave.Dataset({ name: 'sums', rows: [1, 2, 3, 4].map((a) => ({ a })) });
const right = weave.op(({ modelOutput, datasetRow }) => modelOutput === datasetRow.a, { name: 'right' });
const points = weave.op(() => ({ close: true, points: 1 }), { name: 'points' });
const model = weave.op(
  async ({ datasetRow: { a } }) => {
    if (a > 1) throw new Error(`${a} is not supported`);
    return a;
  },
  { name: 'fragile' },
);
const evaluation = new weave.Evaluation({ name: 'fragile-evaluation', dataset, scorers: [right, points] });
const summary = await evaluation.evaluate({ model });
await client.waitForBatchProcessing();
process.stdout.write(`${JSON.stringify({ summary })}\n`);
