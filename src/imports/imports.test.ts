import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { askRunning } from '../admin/client.ts';
import { startTestServer, type TestServer } from '../api/testing/server.ts';
import { readConfig } from '../config.ts';

let server: TestServer;
let project: string;
beforeAll(async () => {
  server = await startTestServer();
});
beforeEach(async () => {
  project = await server.newProject();
});
afterAll(() => server.close());

const exported = (name: string) => new URL(`../../testing/exports/${name}`, import.meta.url).pathname;

async function run(source: 'weave' | 'phoenix' | 'langfuse', path: string, onProgress?: (progress: object) => void) {
  const config = readConfig({ data: server.data }, {});
  return (await askRunning(config, 'import', { source, path, project }, onProgress))!.answer;
}

function write(name: string, text: string | Buffer): string {
  const path = join(server.data, name); // the directory is the test's own
  writeFileSync(path, text);
  return path;
}

/** All calls by id, as clients read them. */
async function calls(): Promise<Record<string, any>> {
  const { lines } = await server.post('/calls/stream_query', { project_id: project });
  return Object.fromEntries(lines.map((call) => [call.id, call]));
}

async function feedback(): Promise<any[]> {
  return (await server.post('/feedback/query', { project_id: project })).json.result;
}

test('skips a byte order mark, and rejects a file that is not UTF-8 with the place', async () => {
  const text = readFileSync(exported('langfuse-blob-storage.jsonl'), 'utf8');
  expect(await run('langfuse', write('marked.jsonl', `\ufeff${text}`))).toMatchObject({ records: 4, refused: 0 });
  await expect(run('langfuse', write('wide.jsonl', Buffer.from(text, 'utf16le')))).rejects.toThrow(
    'wide.jsonl is not UTF-8: from offset 0 it looks like UTF-16. Save it as UTF-8.',
  );
});

describe('langfuse', () => {
  const traceId = '7f3c2a10-8c1e-4d7e-9a53-0c1d2e3f4a5b';
  const searchId = '0b6f1c52-1f0e-4b0c-8a77-6f5e4d3c2b1a';

  test('traces, observations and scores keep their ids and times, and can be imported again', async () => {
    const path = exported('langfuse-blob-storage.jsonl');
    expect(await run('langfuse', path)).toEqual({
      records: 4,
      calls: 3,
      feedback: 1,
      refused: 0,
      reasons: [],
      project,
    });
    const found = await calls();
    const answer = Object.values(found).find((call) => call.op_name.includes('answer'));
    expect(found).toEqual({
      [traceId]: expect.objectContaining({
        ...{ trace_id: traceId, parent_id: null, thread_id: 'session-1', started_at: '2024-05-01T12:00:00.125000Z' },
        inputs: { question: 'What is 2 + 2?', exact: 1.1 },
        output: '4',
        attributes: expect.objectContaining({ metadata: { team: 'search' } }),
      }),
      [searchId]: expect.objectContaining({
        ...{ trace_id: traceId, parent_id: traceId, started_at: '2024-05-01T12:00:00.200000Z', exception: 'no index' },
        ended_at: '2024-05-01T12:00:00.900000Z',
      }),
      [answer.id]: expect.objectContaining({
        ...{ parent_id: searchId, inputs: { input: [{ role: 'user', content: 'What is 2 + 2?' }] } },
        output: { role: 'assistant', content: '4' },
        attributes: expect.objectContaining({
          kind: 'llm',
          langfuse: expect.objectContaining({ id: 'answer-1', prompt_version: 3 }),
        }),
        summary: expect.objectContaining({
          usage: {
            'gpt-4o-mini': {
              ...{ requests: 1, prompt_tokens: 12, completion_tokens: 1, total_tokens: 13 },
              prompt_tokens_details: { cached_tokens: 4 },
            },
          },
        }),
      }),
    });
    const scores = await feedback();
    expect(scores).toMatchObject([
      {
        id: '9d2e8f70-3b4a-4c5d-8e6f-7a8b9c0d1e2f',
        feedback_type: 'langfuse.correctness',
        weave_ref: `weave:///${project}/call/${answer.id}`,
        created_at: '2024-05-01T12:05:00Z',
        payload: { output: 1, comment: 'It is 4.', data_type: 'NUMERIC' },
      },
    ]);
    expect(await run('langfuse', path)).toMatchObject({ calls: 3, feedback: 0, refused: 0 });
    expect([await calls(), await feedback()]).toEqual([found, scores]);
  });

  test('enriched observations add the fields of their trace', async () => {
    const observation = {
      ...{ id: searchId, trace_id: traceId, type: 'SPAN', name: 'search', start_time: '2024-05-01 12:00:00.200000' },
      ...{
        trace_name: 'ask',
        session_id: 'session-1',
        user_id: 'user-1',
        tags: ['a'],
        metadata: { own: 1 },
        input: 'x',
      },
    };
    await run('langfuse', write('enriched.jsonl', JSON.stringify(observation)));
    expect((await calls())[traceId]).toMatchObject({
      ...{ op_name: 'ask', thread_id: 'session-1', parent_id: null },
      attributes: { langfuse: { id: traceId, type: 'TRACE', user_id: 'user-1', tags: ['a'] } },
    });
  });

  test('imports a page of the public API', async () => {
    const report = await run('langfuse', exported('langfuse-api.json'));
    expect(report).toMatchObject({ records: 1, calls: 2, feedback: 1, refused: 0 });
    const root = '4bf92f35-77b3-4da6-a3ce-929d0e0e4736';
    expect(await calls()).toMatchObject({
      [root]: {
        trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
        ended_at: '2025-01-02T03:04:07.178000Z',
        output: 'Hello',
      },
      '00f067aa0ba902b7': { parent_id: root, summary: { usage: { 'gpt-4o': { total_tokens: 7 } } } },
    });
    expect((await feedback())[0]).toMatchObject({ payload: { output: 'friendly', value: 0 } });
  });

  test('observations before their traces get a root, which the trace completes later', async () => {
    const [trace, ...others] = readFileSync(exported('langfuse-blob-storage.jsonl'), 'utf8').trim().split('\n');
    await run('langfuse', write('observations.jsonl', others.join('\n')));
    expect((await calls())[traceId]).toMatchObject({
      parent_id: null,
      inputs: {},
      started_at: '2024-05-01T12:00:00.200000Z',
    });
    await run('langfuse', write('traces.jsonl', trace!));
    await run('langfuse', write('observations.jsonl', others.join('\n')));
    expect((await calls())[traceId]).toMatchObject({ output: '4', started_at: '2024-05-01T12:00:00.125000Z' });
    expect(Object.keys(await calls())).toHaveLength(3);
  });
});

describe('phoenix', () => {
  test.each(['phoenix-spans.jsonl', 'phoenix-otlp.json', 'phoenix-dataframe.jsonl'])(
    '%s becomes calls with the ids and times of the spans, also when it is imported again',
    async (name) => {
      const spans = readFileSync(exported('phoenix-spans.jsonl'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      const report = await run('phoenix', exported(name));
      expect(report).toMatchObject({ calls: 4, refused: 0 });
      const found = await calls();
      expect(Object.keys(found).sort()).toEqual(spans.map((span) => span.context.span_id).sort());
      for (const { context, parent_id, start_time } of spans) {
        expect(found[context.span_id]).toMatchObject({ trace_id: context.trace_id, parent_id });
        const milliseconds = new Date(found[context.span_id].started_at).getTime();
        expect(milliseconds).toBe(new Date(start_time).getTime());
      }
      const byName = (op: string) => Object.values(found).find((call) => call.op_name.includes(`/op/${op}:`));
      expect(byName('answer')).toMatchObject({
        attributes: { kind: 'llm' },
        summary: { usage: { 'gpt-4o-mini': { prompt_tokens: 12, completion_tokens: 1, total_tokens: 13 } } },
      });
      expect(JSON.stringify(byName('answer').inputs)).toContain('What is 2 + 2?');
      expect(byName('ask')).toMatchObject({ thread_id: 'session-1', output: { 'output.value': '4' } });
      expect(byName('fail')).toMatchObject({ exception: expect.stringContaining('no such tool') });
      await run('phoenix', exported(name));
      expect(await calls()).toEqual(found);
    },
  );

  test('annotations become feedback on their spans', async () => {
    expect(await run('phoenix', exported('phoenix-annotations.jsonl'))).toMatchObject({ feedback: 1, refused: 0 });
    expect(await run('phoenix', exported('phoenix-annotations.jsonl'))).toMatchObject({ feedback: 0, refused: 0 });
    expect(await feedback()).toMatchObject([
      { feedback_type: 'phoenix.correctness', payload: { output: 1, label: 'correct', explanation: 'It is 4.' } },
    ]);
  });
});

/** A number that JavaScript rounds, and one that it writes as 1. */
const numbers = '{"id":107505301260286111,"price":1.0}';

async function callsText(): Promise<string> {
  return (await server.post('/calls/stream_query', { project_id: project })).text;
}

test.each([
  [
    { input: 100, input_cache_read: 300, input_cache_creation: 50, output: 10, output_reasoning: 90, total: 550 },
    450,
    100,
  ],
  [{ input: 450, input_cached_tokens: 300, output: 100, total: 550 }, 450, 100],
])('counts of Langfuse are apart unless their total says otherwise: %j', async (usageDetails, prompt, completion) => {
  const observation = {
    id: 'o1',
    traceId: 't1',
    type: 'GENERATION',
    startTime: '2024-05-01T12:00:00Z',
    model: 'm',
    usageDetails,
  };
  expect(await run('langfuse', write('apart.json', JSON.stringify(observation)))).toMatchObject({ refused: 0 });
  const { lines } = await server.post('/calls/stream_query', {
    project_id: project,
    filter: { trace_roots_only: false },
  });
  const used = lines.map(({ summary }: any) => summary.usage?.m).find((usage: unknown) => usage !== undefined);
  expect(used).toMatchObject({ prompt_tokens: prompt, completion_tokens: completion, total_tokens: 550 });
});

test('numbers of Langfuse keep their digits', async () => {
  const observation = `{"id":"o1","traceId":"t1","type":"GENERATION","startTime":"2024-05-01T12:00:00Z","model":"m",
    "input":${numbers},"output":${numbers},"metadata":${numbers},"modelParameters":${numbers}}`;
  expect(await run('langfuse', write('digits.json', observation))).toMatchObject({ refused: 0 });
  const text = await callsText();
  expect(text).toContain(`"inputs":${numbers}`);
  expect(text).toContain(`"output":${numbers}`);
  expect(text).toContain(`"metadata":${numbers}`);
  expect(text).toContain(`"model_parameters":${numbers}`);
});

test('numbers of Phoenix keep their digits', async () => {
  const context = `"context":{"trace_id":"0af7651916cd43dd8448eb211c80319c","span_id":"b7ad6b7169203331"}`;
  const attributes = `{"openinference.span.kind":"TOOL","input.value":${numbers},"order":107505301260286111,"share":0.50,
    "orders":[107505301260286111,2]}`;
  const times = `"start_time":"2024-05-01T12:00:00Z","end_time":"2024-05-01T12:00:01Z"`;
  const span = `{"name":"f",${context},${times},"attributes":${attributes}}`;
  const annotation = `{"span_id":"b7ad6b7169203331","name":"n","result":{"score":1.0,"label":null},"metadata":${numbers}}`;
  expect(await run('phoenix', write('digits.jsonl', `[${span},${annotation}]`))).toMatchObject({ refused: 0 });
  const text = await callsText();
  expect(text).toContain(`"input.value":${numbers}`);
  expect(text).toContain('"order":107505301260286111');
  expect(text).toContain('[107505301260286111,2]');
  expect((await server.post('/feedback/query', { project_id: project })).text).toContain(`"metadata":${numbers}`);
});

describe('weave', () => {
  const id = '018f4f2e-9c1a-7000-8000-000000000001';
  const call = {
    ...{ id, project_id: 'old/home', trace_id: id, parent_id: null, started_at: '2024-05-01T12:00:00.123456Z' },
    ...{ op_name: 'weave:///old/home/op/f:abc', ended_at: '2024-05-01T12:00:01Z', attributes: { a: 1 } },
    ...{ inputs: { x: 1, ref: 'weave:///old/home/object/o:v0' }, output: { y: [1, null] } },
    summary: { usage: {}, weave: { status: 'success', latency_ms: 5, trace_name: 'f', feedback: [] } },
  };

  test('an imported call keeps everything except its project, with numbers digit for digit', async () => {
    const text = JSON.stringify(call).replace('"x":1', '"x":1.00').replace('"usage":{}', `"usage":{},"own":${numbers}`);
    expect(await run('weave', write('calls.jsonl', text))).toMatchObject({ records: 1, calls: 1, refused: 0 });
    const answer = await server.post('/calls/stream_query', { project_id: project });
    expect(answer.text).toContain('"x":1.00');
    expect(answer.text).toContain(`"own":${numbers}`);
    const { started_at, ended_at, inputs, output, attributes } = call;
    const op_name = `weave:///${project}/op/f:abc`;
    expect(answer.lines).toMatchObject([
      { id, trace_id: id, op_name, started_at, ended_at, inputs, output, attributes },
    ]);
  });

  test('keeps running calls and skips deleted ones', async () => {
    const running = { ...call, ended_at: null, output: null };
    const deleted = { ...call, id: id.replace(/1$/, '2'), deleted_at: '2024-05-02T00:00:00Z' };
    await run('weave', write('calls.json', JSON.stringify([running, deleted], null, 2)));
    expect(Object.values(await calls())).toMatchObject([
      { id, ended_at: null, summary: { weave: { status: 'running' } } },
    ]);
  });

  test('imports the feedback of a call once, and again after it was purged', async () => {
    const row = {
      ...{ id: '018f4f2e-9c1a-7000-8000-00000000000a', feedback_type: 'wandb.note.1', payload: { note: 'good' } },
      ...{ weave_ref: `weave:///old/home/call/${id}`, created_at: '2024-05-01T13:00:00Z', wb_user_id: 'someone' },
    };
    const path = write('calls.jsonl', JSON.stringify({ ...call, summary: { weave: { feedback: [row] } } }));
    expect(await run('weave', path)).toMatchObject({ feedback: 1, refused: 0 });
    expect(await run('weave', path)).toMatchObject({ feedback: 0, refused: 0 });
    const weave_ref = `weave:///${project}/call/${id}`;
    expect(await feedback()).toMatchObject([
      { id: row.id, weave_ref, payload: { note: 'good' }, created_at: row.created_at },
    ]);

    const query = { $expr: { $eq: [{ $getField: 'id' }, { $literal: row.id }] } };
    await server.post('/feedback/purge', { project_id: project, query });
    expect(await run('weave', path)).toMatchObject({ feedback: 1 });
    expect(await feedback()).toMatchObject([{ id: row.id, created_at: row.created_at }]);
  });
});

describe('files', () => {
  const line = (number: number) =>
    JSON.stringify({
      ...{
        id: `018f4f2e-9c1a-7000-8000-${String(number).padStart(12, '0')}`,
        op_name: 'f',
        inputs: { text: 'x'.repeat(1000) },
      },
      started_at: '2024-05-01T12:00:00Z',
    });

  test('a large file is read in parts, packed or not, with progress', async () => {
    const text = Array.from({ length: 2000 }, (_, i) => line(i)).join('\n');
    const progress: any[] = [];
    const packed = write('calls.jsonl.gz', gzipSync(text));
    expect(await run('weave', packed, (each) => progress.push(each))).toMatchObject({ records: 2000, calls: 2000 });
    expect(progress.length).toBeGreaterThanOrEqual(4);
    expect(progress.at(-1)).toMatchObject({ step: 'importing', file: 'calls.jsonl.gz' });
    expect(progress.at(-1).doneBytes).toBe(progress.at(-1).totalBytes);
    expect((await server.post('/calls/query_stats', { project_id: project })).json.count).toBe(2000);
  });

  test('reports invalid records and imports the others', async () => {
    const bad = ['{"id": "x"}', line(2).replace('2024-05-01T12:00:00Z', 'yesterday'), '{"id": 1,}'];
    const report = await run('weave', write('calls.jsonl', [line(1), ...bad, line(3)].join('\n')));
    expect(report).toMatchObject({ records: 5, calls: 2, refused: 3 });
    expect(report.reasons).toEqual([
      expect.stringMatching(/^record 2: not a call of Weave/),
      expect.stringMatching(/^record 3: started_at is not a time: "yesterday"/),
      expect.stringMatching(/^record 4: /),
    ]);
  });

  test('a truncated line loses only its own record', async () => {
    const lines = [line(1), '{"id": "x', line(2), '{"id": "y", "inputs": {', line(3)];
    const report = await run('weave', write('calls.jsonl', lines.join('\n')));
    expect(report).toMatchObject({ records: 5, calls: 3, refused: 2 });
    expect(report.reasons).toEqual([expect.stringMatching(/^record 2: /), expect.stringMatching(/^record 4: /)]);
    const fromStart = await run('weave', write('calls.jsonl', ['{"id": "x', line(4)].join('\n')));
    expect(fromStart).toMatchObject({ records: 2, calls: 1, refused: 1 });
  });

  test.each([
    ['a missing file', '/nowhere/calls.jsonl', /not a file that can be read/],
    ['a file that is not JSON', 'csv', /Found "i" after record 0, expected a JSON object/],
    ['a file that ends within a record', 'cut', /ends within record 2/],
    ['a damaged archive', 'gz', /cannot be read/],
  ])('%s is refused', async (_what, path, message) => {
    const texts: Record<string, string> = { csv: 'id,name\n', cut: `${line(1)}{"id": "`, gz: 'not packed' };
    const file = texts[path] === undefined ? path : write(`file.${path}`, texts[path]);
    await expect(run('weave', file)).rejects.toMatchObject({ message: expect.stringMatching(message) });
  });
});

describe('openai', () => {
  const names = ['openai-jobs.jsonl', 'openai-run.jsonl', 'openai-evals.json', 'capitals.jsonl'];
  const evalId = 'eval_6893a1b2c3d48191a0b1c2d3e4f50617';
  const runPath = `/v1/evals/${evalId}/runs/evalrun_6893a1c4d5e68191b1c2d3e4f5061728`;

  async function importAll(paths: string[], model?: string) {
    const config = readConfig({ data: server.data }, {});
    return (await askRunning(config, 'import.openai', { paths, project, model }))!.answer;
  }
  const get = async (path: string) => (await server.get(path, { headers: { 'X-Heddle-Project': project } })).json;
  const recordsOf = (name: string) =>
    readFileSync(exported(name), 'utf8')
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text));

  test('evals, runs and output items keep their ids and results, in any order and once', async () => {
    const paths = names.map(exported);
    const report = await importAll(paths);
    expect(report).toMatchObject({
      ...{ project, refused: 0, reasons: [], notes: [] },
      ...{ evals: { added: 1, known: 0 }, runs: { added: 1, known: 0 }, items: { added: 3, known: 0 } },
      ...{ files: { added: 1, known: 0 }, jobs: { added: 0, known: 0 } },
    });
    const [file] = report.importedFiles;
    expect(file).toEqual({ name: 'capitals.jsonl', source: 'file-9GYS6xbkWgWhmE7VoLUWFg', id: expect.any(String) });
    expect(await get(`/v1/files/${file!.id}`)).toMatchObject({ filename: 'capitals.jsonl', purpose: 'fine-tune' });

    const [definition] = JSON.parse(readFileSync(exported('openai-evals.json'), 'utf8')).data;
    expect(await get(`/v1/evals/${evalId}`)).toEqual(definition);
    const records = recordsOf('openai-run.jsonl');
    const { report_url: _, shared_with_openai: __, data_source: source, ...run } = records.at(-1);
    const found = await get(runPath);
    expect(found).toMatchObject(run);
    expect(found.data_source).toMatchObject({ model: source.model, source: { type: 'file_id', id: file!.id } });
    const items = (await get(`${runPath}/output_items`)).data;
    expect(items).toMatchObject(records.slice(0, 3));
    const evaluation = Object.values(await calls()).find((call) => call.op_name.includes('Evaluation.evaluate'));
    expect(evaluation).toMatchObject({ started_at: '2025-08-06T18:41:08Z', output: expect.anything() });

    const again = await importAll(paths);
    expect(again).toMatchObject({
      ...{ evals: { added: 0, known: 1 }, runs: { added: 0, known: 1 }, items: { added: 0, known: 3 } },
      ...{ files: { added: 0, known: 1 }, importedFiles: [file], refused: 0 },
    });
    expect((await get(`${runPath}/output_items`)).data).toEqual(items);
    expect((await get('/v1/files')).data).toHaveLength(1);
  });

  test('numbers in items and jobs keep their digits', async () => {
    const text = readFileSync(exported('openai-run.jsonl'), 'utf8');
    const items = text
      .replace('{"country": "France"', '{"id": 107505301260286111, "price": 1.0, "country": "France"')
      .replaceAll('"sample": {', '"sample": {"mark": 107505301260286112, ')
      .replace('"score": 1.0', '"score": 1.0, "margin": 107505301260286113');
    const [job] = readFileSync(exported('openai-jobs.jsonl'), 'utf8').split('\n');
    const jobs = `{"object":"list","data":[${job!.replace('"seed": 42', '"seed": 42, "more": 1.0')}]}`;
    const paths = [exported('openai-evals.json'), write('items.jsonl', items), write('jobs.json', jobs)];
    expect(await importAll(paths)).toMatchObject({ refused: 0, items: { added: 3 } });
    const headers = { 'X-Heddle-Project': project };
    const { text: listed } = await server.get(`${runPath}/output_items`, { headers });
    expect(listed).toMatch(/"id":\s*107505301260286111,\s*"price":\s*1\.0/);
    expect(listed.match(/"mark":\s*107505301260286112/g)).toHaveLength(5);
    expect(listed).toMatch(/"margin":\s*107505301260286113/);
    const read = { project_id: project, object_id: 'ftjob-abc123XYZ', digest: 'latest' };
    expect((await server.post('/obj/read', read)).text).toContain('"more": 1.0');
  });

  test('fine-tuning jobs are started on a served model once', async () => {
    const paths = [exported('openai-jobs.jsonl'), exported('capitals.jsonl')];
    const outcomes = async (model?: string) =>
      (await importAll(paths, model)).fineTuningJobs.map(({ outcome }: { outcome: string }) => outcome);
    const missing = 'not started: import its file file-gone';
    expect(await outcomes()).toEqual(['can be started', 'not started: it failed', missing]);
    const [started] = await outcomes('heddle/tiny');
    expect(started).toMatch(/^started as ftjob-/);
    const id = started!.slice('started as '.length);
    expect(await outcomes('heddle/tiny')).toEqual([`started before as ${id}`, 'not started: it failed', missing]);
    expect(await get(`/v1/fine_tuning/jobs/${id}`)).toMatchObject({
      ...{ model: 'heddle/tiny', seed: 42, metadata: { imported_from: 'ftjob-abc123XYZ' } },
      method: { supervised: { hyperparameters: { n_epochs: 1, learning_rate_multiplier: 1.8 } } },
    });
  });

  test('reports what cannot be read by file and line, and imports the rest', async () => {
    const [item] = recordsOf('openai-run.jsonl');
    const [job] = recordsOf('openai-jobs.jsonl');
    const bad = [
      JSON.stringify({ ...item, run_id: 'evalrun_none' }),
      '',
      '{"object":"eval","id":"eval_1"}',
      '{"object":"thread"}',
    ];
    const paths = [
      write('mixed.jsonl', [...bad, JSON.stringify({ ...job, seed: 'none' }), JSON.stringify(job)].join('\n')),
      write('train.jsonl', '{"messages":[{"role":"user","content":"Hi"}]}\n{"messages":"Hi"}\n'),
      write('broken.jsonl', '{"messages":[]}\n{"messages":\n'),
      write('other.json', '{"name":"x"}'),
      exported('openai-evals.json'),
    ];
    const report = await importAll(paths, 'heddle/tiny');
    expect(report).toMatchObject({ refused: 7, evals: { added: 1 }, files: { added: 0 } });
    expect(report.fineTuningJobs).toMatchObject([
      { outcome: 'not started: import its file file-9GYS6xbkWgWhmE7VoLUWFg' },
    ]);
    expect(report.reasons).toEqual([
      expect.stringMatching(/^mixed.jsonl, line 3: the eval is invalid: .*data_source_config/),
      expect.stringMatching(/^mixed.jsonl, line 4: found the object thread, expected an eval, a run/),
      expect.stringMatching(/^mixed.jsonl, line 5: the fine-tuning job is invalid: seed/),
      expect.stringMatching(/^other.json, line 1: found an object with the members name, expected/),
      'train.jsonl was not imported. train.jsonl, line 2: messages is not a list of messages',
      expect.stringMatching(/^broken.jsonl, line 2: this is not valid JSON/),
      expect.stringMatching(/^mixed.jsonl, line 1: No eval run found with id 'evalrun_none'/),
    ]);
  });
});
