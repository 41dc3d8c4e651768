import { describe, expect, test } from 'vitest';
import { runPython } from '../harness/clients.ts';
import { heddleForFile } from '../harness/heddle-for-file.ts';
import { storedCalls } from '../harness/stored-calls.ts';
import { pythonIsReady } from './environment.ts';

describe.skipIf(!pythonIsReady())('completions for the Python client', () => {
  const heddle = heddleForFile();

  test('models of the SDK answer with heddle/tiny, prompts are linked to a registry [evaluations 147 149 153]', async () => {
    const project = heddle.server.newProject();
    const report = await runPython(heddle.server, 'structured_model.py', { args: [project], expected: /no model/ });
    expect(report).toEqual({
      text: expect.stringMatching(/./),
      prompted: expect.stringMatching(/./),
      error: expect.stringMatching(/LLM API returned an error: There is no model no-such-model/),
      without_key: expect.stringMatching(/the secret ACME_KEY is not set/),
      version_index: 0,
      stream: expect.any(Array),
    });
    const [first, ...chunks] = report.stream;
    expect(first._meta).toMatchObject({ weave_call_id: expect.any(String) });
    expect(chunks.at(-1)).toMatchObject({ usage: { completion_tokens: 4 } });

    const calls = await storedCalls(heddle.server, project);
    const completions = calls.filter((call) => call.op_name === 'weave.completions_create');
    expect(completions).toHaveLength(5);
    expect(completions[0]).toMatchObject({
      inputs: {
        messages: [
          { role: 'system', content: 'Greet Ann.' },
          { role: 'user', content: 'Hello' },
        ],
      },
      output: { choices: [{ message: { content: report.text } }] },
      summary: { usage: { 'heddle/tiny': { requests: 1 } } },
    });
    const listed = await heddle.server.command('registry', 'list');
    expect(listed).toMatch(/ent\/wandb-registry-prompts\/greetings +v0 +prod +\S+ +weave:\/\/\/\S+\/object\/greeting:/);
  });
});
