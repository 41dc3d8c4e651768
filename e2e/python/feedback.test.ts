import { describe, expect, test } from 'vitest';
import { runPython } from '../harness/clients.ts';
import { heddleForFile } from '../harness/heddle-for-file.ts';
import { pythonIsReady } from './environment.ts';

describe.skipIf(!pythonIsReady())('feedback of the Python client', () => {
  const heddle = heddleForFile();

  test('reactions, notes, annotations and scores are kept, found, and shown with their calls', async () => {
    const project = heddle.server.newProject();
    const report = await runPython(heddle.server, 'feedback.py', { args: [project] });
    const scores = ['wandb.runnable.Length', 'wandb.runnable.loud'];
    expect(report.given).toEqual([
      ['wandb.reaction.1', 'wandb.reaction.1', 'correctness', ...scores],
      ['wandb.annotation.grade', ...scores],
    ]);
  });
});
