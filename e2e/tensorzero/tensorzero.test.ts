import { describe, expect, test } from 'vitest';
import { runTensorZero } from '../harness/clients.ts';
import { heddleForFile } from '../harness/heddle-for-file.ts';
import { tensorZeroEnvironment } from './environment.ts';

const text = { type: 'object', properties: { style: { type: 'string' } }, required: ['style'] };
const settings = {
  functions: {
    draft: {
      type: 'chat',
      schemas: { system: text },
      variants: {
        plain: { templates: { system: 'Write in a {{ style }} style.', user: 'Write about {{ topic }}.' } },
        brief: { templates: { system: 'Be brief.', user: '{{ topic }}' } },
      },
    },
    extract: {
      type: 'json',
      output_schema: { enum: ['yes'] },
    },
    weather: { type: 'chat', tools: ['weather'] },
  },
  tools: {
    weather: {
      name: 'weather',
      parameters: { type: 'object', properties: { in: { enum: ['Rome'] } }, required: ['in'] },
    },
  },
  metrics: { good: { type: 'boolean' }, score: { type: 'float', level: 'episode' } },
};

describe.skipIf(!tensorZeroEnvironment.isReady())("TensorZero's client", () => {
  const heddle = heddleForFile();

  test('works with the address of heddle', { timeout: 180_000 }, async () => {
    const { server } = heddle;
    const project = server.newProject();
    await server.post('/obj/create', { obj: { project_id: project, object_id: 'tensorzero', val: settings } });
    for (const [name, variants] of Object.entries({ draft: ['plain', 'brief'], extract: ['one'], weather: ['one'] })) {
      const shares = Object.fromEntries(variants.map((variant, index) => [variant, index === 0 ? 1 : 0]));
      await server.post(`/v2/${project}/policies`, {
        ...{ name, incumbent: variants[0], traffic: { kind: 'split', shares } },
        variants: variants.map((variant) => ({ name: variant, model: 'heddle/tiny' })),
      });
    }
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
