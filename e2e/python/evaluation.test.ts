import { describe, expect, test } from 'vitest';
import { runPython } from '../harness/clients.ts';
import { heddleForFile } from '../harness/heddle-for-file.ts';
import { storedCalls, treeOf } from '../harness/stored-calls.ts';
import { pythonIsReady } from './environment.ts';

describe.skipIf(!pythonIsReady())('evaluations of the Python client', () => {
  const heddle = heddleForFile();

  test('an evaluation is one tree: predictions, scores, summaries', async () => {
    const project = heddle.server.newProject();
    await runPython(heddle.server, 'evaluation.py', { args: [project] });
    const [evaluation, ...others] = treeOf(await storedCalls(heddle.server, project));
    expect(others).toEqual([]);
    const predictions = evaluation!['Evaluation.evaluate']!.filter((each) => each['Evaluation.predict_and_score']);
    expect(predictions).toHaveLength(4);
    const scores = await heddle.server.post('/feedback/query', { project_id: project, fields: ['feedback_type'] });
    const types = scores.json.result.map((each: { feedback_type: string }) => each.feedback_type).sort();
    expect(types).toEqual([...Array(4).fill('wandb.runnable.Distance'), ...Array(4).fill('wandb.runnable.exact')]);
  });
});
