// An evaluation that is logged piece by piece: each score becomes feedback on its prediction.
import weave from 'weave';

const client = await weave.init(process.argv[2]);

const logger = new weave.EvaluationLogger({ name: 'by-hand', model: 'adder', dataset: 'sums' });
for (const [a, expected] of [
  [1, 2],
  [2, 4],
]) {
  const prediction = await logger.logPredictionAsync({ a }, a + 1);
  await prediction.logScore('correct', a + 1 === expected);
  await prediction.logScore('distance', { by: Math.abs(expected - a - 1) });
  await prediction.finish();
}
await logger.logSummary();
await client.waitForBatchProcessing();

process.stdout.write(`${JSON.stringify({})}\n`);
