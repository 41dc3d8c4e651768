import { describe, expect, test } from 'vitest';
import { runPython } from '../harness/clients.ts';
import { heddleForFile } from '../harness/heddle-for-file.ts';
import { storedCalls, treeOf } from '../harness/stored-calls.ts';
import { pythonIsReady } from './environment.ts';

describe.skipIf(!pythonIsReady())('evaluations of the Python client', () => {
  const heddle = heddleForFile();

  test('an evaluation is one tree: predictions, scores, summaries', async () => {
    const project = heddle.server.newProject();
    // Feedback is not served yet (`feedbackToQueues` in seed-endpoints.ts): the client says so and goes on.
    await runPython(heddle.server, 'evaluation.py', { args: [project], expected: /feedback/ });
    const [evaluation, ...others] = treeOf(await storedCalls(heddle.server, project));
    expect(others).toEqual([]);
    const predictions = evaluation!['Evaluation.evaluate']!.filter((each) => each['Evaluation.predict_and_score']);
    expect(predictions).toHaveLength(4);
  });
});
