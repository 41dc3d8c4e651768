import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runTensorZero } from '../harness/clients.ts';
import { heddleForFile } from '../harness/heddle-for-file.ts';
import { tensorZeroEnvironment } from './environment.ts';

const toml = `
[functions.draft]
type = "chat"
system_schema = "system.json"

[functions.draft.variants.plain]
type = "chat_completion"
weight = 1
model = "heddle/tiny"
system_template = "system.minijinja"
templates.user.path = "user.minijinja"

[functions.draft.variants.brief]
type = "chat_completion"
weight = 0
model = "heddle/tiny"
templates.system.path = "brief.minijinja"
templates.user.path = "user.minijinja"

[functions.extract]
type = "json"
output_schema = "output.json"

[functions.extract.variants.one]
type = "chat_completion"
model = "heddle/tiny"
json_mode = "strict"

[functions.weather]
type = "chat"
tools = ["weather"]

[functions.weather.variants.one]
type = "chat_completion"
model = "heddle/tiny"

[tools.weather]
description = "The weather of a place"
parameters = "weather.json"

[metrics.good]
type = "boolean"
optimize = "max"
level = "inference"

[metrics.score]
type = "float"
optimize = "max"
level = "episode"
`;

const files = {
  'tensorzero.toml': toml,
  'system.json': '{"type": "object", "properties": {"style": {"type": "string"}}, "required": ["style"]}',
  'system.minijinja': 'Write in a {{ style }} style.',
  'user.minijinja': 'Write about {{ topic }}.',
  'brief.minijinja': 'Be brief.',
  'output.json': '{"enum": ["yes"]}',
  'weather.json': '{"type": "object", "properties": {"in": {"enum": ["Rome"]}}, "required": ["in"]}',
};

describe.skipIf(!tensorZeroEnvironment.isReady())("TensorZero's client", () => {
  const heddle = heddleForFile();

  test('works with the address of heddle', { timeout: 180_000 }, async () => {
    const { server } = heddle;
    const project = server.newProject();
    const folder = mkdtempSync(join(tmpdir(), 'heddle-tensorzero-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const config = join(folder, 'tensorzero.toml');
    const printed = await server.command('import', 'tensorzero', '--config', config, '--project', project);
    expect(printed).toMatch(/policy +draft +version 1/);
    // The client's own log of the errors that it raises
    const report = await runTensorZero(server, 'client.py', { args: [], project, expected: /tensorzero_error/ });

    expect(report.chat).toMatchObject({
      variant_name: 'plain',
      output_tokens: 4,
      finish_reason: 'length',
      blocks: ['text'],
    });
    const { episode_id } = report.chat;
    expect(report.streamed).toMatchObject({ ids: 1, episode_id, output_tokens: 4, finish_reason: 'length' });
    expect(report.pinned.variant_name).toBe('brief');
    expect(report.model).toMatchObject({ variant_name: 'heddle/tiny', output_tokens: 4 });
    expect(report.json).toEqual({ raw: '"yes"', parsed: 'yes' });
    expect(report['json by schema']).toEqual({ yes: 'a' });
    expect(report['json streamed']).toEqual({ yes: 'a' });
    expect(report.tool).toEqual({ name: 'weather', arguments: { in: 'Rome' }, finish_reason: 'tool_call' });
    expect(report['after tool'].output_tokens).toBe(4);
    expect(report['own tool']).toBe('own');
    expect(report.errors).toEqual({
      function: [404, expect.stringMatching(/^Unknown function: none/)],
      variant: [404, 'Unknown variant: none'],
      schema: [400, expect.stringMatching(/JSON Schema validation failed for the arguments of system/)],
      stream: [404, expect.stringMatching(/^Unknown function: none/)],
      metric: [404, 'Unknown metric: none'],
      value: [400, expect.stringMatching(/must be a boolean/)],
      extra: [400, expect.stringMatching(/extra_headers is not supported by heddle/)],
      key: [401, expect.any(String)],
    });
    expect(report.async).toEqual({ output_tokens: [4, 4], feedback: expect.any(String) });
    for (const place of ['tensorzero', 'heddle'])
      expect(report[`openai at ${place}`]).toEqual({
        ...{ episode_id, tokens: 4, streamed: true },
        model: 'tensorzero::function_name::draft::variant_name::brief',
      });

    await expectRecorded(project, report);
  });

  /** The inferences are calls of one thread, with the feedback; a dry run has left nothing. */
  async function expectRecorded(project: string, { chat, streamed, dry, feedback: [good, score] }: any): Promise<void> {
    const { server } = heddle;
    const query = { project_id: project, filter: { thread_ids: [chat.episode_id] } };
    await expect
      .poll(async () => (await server.post('/calls/stream_query', query)).lines.length, { timeout: 20_000 })
      .toBe(4);
    const calls = (await server.post('/calls/stream_query', query)).lines;
    const first = calls.find(({ id }: any) => id === chat.inference_id);
    expect(first).toMatchObject({
      inputs: { messages: [{ content: 'Write in a plain style.' }, { content: 'Write about rain.' }] },
      attributes: { tensorzero: { function_name: 'draft', tags: { user: 'u1' } } },
    });
    const dryRun = { project_id: project, filter: { call_ids: [dry.inference_id] } };
    expect((await server.post('/calls/stream_query', dryRun)).lines).toEqual([]);
    const { result } = (await server.post('/feedback/query', { project_id: project })).json;
    const of = (id: string) => result.filter(({ weave_ref: ref }: any) => ref.endsWith(id));
    expect(of(streamed.inference_id)).toMatchObject([
      { id: good, feedback_type: 'good', payload: { value: true, tags: { by: 'Ada' } } },
      { feedback_type: 'score', payload: { value: 0.5 } },
    ]);
    expect(of(chat.inference_id).map(({ feedback_type: type }: any) => type)).toEqual([
      'score',
      'comment',
      'demonstration',
    ]);
    expect(result.some(({ id }: any) => id === score)).toBe(true);
  }
});
