import { describe, expect, test } from 'vitest';
import { usualCompletion } from '../../providers/testing/stub-provider.ts';
import { providerProject } from '../testing/provider-project.ts';

const project = providerProject();

const send = async (method: string, path: string, body?: unknown) => {
  const headers = { 'X-Heddle-Project': project.name };
  return body === undefined
    ? project.server.get(`/v1/evals${path}`, { method, headers })
    : project.server.post(`/v1/evals${path}`, body, { method, headers });
};
const post = (path: string, body?: unknown) => send('POST', path, body);
const get = (path: string) => send('GET', path);

const item_schema = {
  type: 'object',
  properties: { question: { type: 'string' }, answer: { type: 'string' } },
  required: ['answer'],
};
const check = {
  type: 'string_check',
  name: 'same',
  operation: 'eq',
  input: '{{ sample.output_text }}',
  reference: '{{ item.answer }}',
};
const similar = {
  type: 'text_similarity',
  name: 'close',
  input: check.input,
  reference: check.reference,
  evaluation_metric: 'fuzzy_match',
  pass_threshold: 0.5,
};
const custom = { type: 'custom', item_schema, include_sample_schema: true };

async function newEval(more: object = {}) {
  const created = await post('', { name: 'capitals', data_source_config: custom, testing_criteria: [check], ...more });
  if (created.status !== 200) throw new Error(created.text);
  return created.json;
}

async function ended(run: { eval_id: string; id: string }) {
  const read = async () => (await get(`/${run.eval_id}/runs/${run.id}`)).json;
  await expect.poll(async () => (await read()).status, { timeout: 20_000 }).toMatch(/completed|failed|canceled/);
  return read();
}

/** Runs an eval to its end. */
async function run(of: { id: string }, data_source: object, more: object = {}) {
  const created = await post(`/${of.id}/runs`, { data_source, ...more });
  if (created.status !== 200) throw new Error(created.text);
  return ended(created.json);
}

const itemsOf = async ({ eval_id, id }: { eval_id: string; id: string }, query = '') =>
  (await get(`/${eval_id}/runs/${id}/output_items${query}`)).json;

const content = (...rows: object[]) => ({ type: 'file_content', content: rows });
const recorded = (answer: string, output_text: string) => ({ item: { answer }, sample: { output_text } });
const answering = (text: string, more: object = {}) => ({
  json: {
    ...usualCompletion,
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: text, ...more } }],
  },
});

describe('evals', () => {
  test('are created with the schema of their rows and the ids of their criteria, and read back', async () => {
    const metadata = { usecase: 'test' };
    const created = await newEval({ testing_criteria: [check, similar], metadata });
    expect(created).toEqual({
      object: 'eval',
      id: expect.stringMatching(/^eval_[0-9a-f]{32}$/),
      name: 'capitals',
      data_source_config: {
        type: 'custom',
        schema: {
          type: 'object',
          properties: { item: item_schema, sample: expect.anything() },
          required: ['item', 'sample'],
        },
      },
      testing_criteria: [
        { ...check, id: expect.stringMatching(/^same-/) },
        { ...similar, id: expect.stringMatching(/^close-/) },
      ],
      metadata,
      created_at: expect.any(Number),
    });
    expect((await get(`/${created.id}`)).json).toEqual(created);
  });

  test('change their names and metadata, and what is absent stays', async () => {
    const { id } = await newEval({ metadata: { a: '1' } });
    expect((await post(`/${id}`, { name: 'renamed' })).json).toMatchObject({ name: 'renamed', metadata: { a: '1' } });
    expect((await post(`/${id}`, { metadata: {} })).json).toMatchObject({ name: 'renamed', metadata: {} });
  });

  test('are listed page by page in both orders', async () => {
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) ids.push((await newEval({ name })).id);
    const first = (await get('?limit=2')).json;
    expect(first).toMatchObject({ object: 'list', first_id: ids[0], last_id: ids[1], has_more: true });
    const rest = (await get(`?limit=2&after=${first.last_id}`)).json;
    expect([rest.data.map((each: { id: string }) => each.id), rest.has_more]).toEqual([[ids[2]], false]);
    await post(`/${ids[0]}`, { name: 'touched' });
    const newest = (await get('?order=desc&order_by=updated_at')).json;
    expect(newest.data.map((each: { id: string }) => each.id)).toEqual([ids[0], ids[2], ids[1]]);
  });

  test('are deleted with their runs and the calls of these', async () => {
    const of = await newEval();
    const { id } = await run(of, { type: 'jsonl', source: content(recorded('a', 'a')) });
    const count = async () =>
      (await project.server.post('/calls/query_stats', { project_id: project.name })).json.count;
    expect(await count()).toBe(5); // the run, its summary, the trial, the prediction, the score
    expect((await send('DELETE', `/${of.id}`)).json).toEqual({ object: 'eval.deleted', deleted: true, eval_id: of.id });
    expect((await get(`/${of.id}`)).status).toBe(404);
    expect((await get(`/${of.id}/runs/${id}`)).status).toBe(404);
    expect(await count()).toBe(0);
  });

  test.each([
    ['no criteria', { testing_criteria: [] }, 'testing_criteria'],
    ['a Python grader', { testing_criteria: [{ type: 'python', name: 'p', source: '' }] }, 'testing_criteria.0.type'],
    ['an unknown variable', { testing_criteria: [check, { ...check, input: '{{x}}' }] }, 'testing_criteria.1.input'],
    [
      'no threshold',
      { testing_criteria: [{ ...similar, pass_threshold: undefined }] },
      'testing_criteria.0.pass_threshold',
    ],
    [
      'a wrong schema',
      { data_source_config: { type: 'custom', item_schema: { type: 'nothing' } } },
      'data_source_config.item_schema',
    ],
    ['an unknown data source', { data_source_config: { type: 'table' } }, 'data_source_config.type'],
    ['too much metadata', { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [i, ''])) }, 'metadata'],
    ['long metadata', { metadata: { a: 'x'.repeat(513) } }, 'metadata.a'],
  ])('are rejected with %s', async (_, more, param) => {
    const { status, json } = await post('', {
      data_source_config: custom,
      testing_criteria: [check],
      ...(more as object),
    });
    expect([status, json.error.type, json.error.param]).toEqual([400, 'invalid_request_error', param]);
  });

  test('of other projects are not found', async () => {
    const { id } = await newEval();
    await project.renew();
    expect((await get(`/${id}`)).json.error).toMatchObject({ type: 'invalid_request_error', code: null });
    expect((await get('')).json.data).toEqual([]);
  });
});

describe('a run', () => {
  test('grades recorded outputs, and counts by criterion', async () => {
    const of = await newEval({ testing_criteria: [check, similar] });
    const rows = [
      recorded('Paris', 'Paris'),
      recorded('Rome', 'Room'),
      recorded('Oslo', 'x'),
      { item: { answer: 'Bonn' } },
    ];
    const source = { type: 'jsonl', source: content(...rows) };
    const finished = await run(of, source, { name: 'first', metadata: { m: '1' } });
    const [same, close] = of.testing_criteria;
    expect(finished).toEqual({
      object: 'eval.run',
      id: expect.stringMatching(/^evalrun_[0-9a-f]{32}$/),
      eval_id: of.id,
      name: 'first',
      status: 'completed',
      model: '',
      data_source: { type: 'jsonl', source: content(...rows.map((row) => ({ ...row }))) },
      metadata: { m: '1' },
      error: null,
      report_url: expect.stringMatching(`^http://[^/]+/${project.name}/r/call/[0-9a-f-]{36}$`),
      result_counts: { total: 4, passed: 1, failed: 2, errored: 1 },
      per_model_usage: [],
      per_testing_criteria_results: [
        { testing_criteria: same.id, passed: 1, failed: 3 },
        { testing_criteria: close.id, passed: 2, failed: 2 },
      ],
      created_at: expect.any(Number),
    });
    const items = await itemsOf(finished);
    expect(items.data.map((each: any) => [each.datasource_item_id, each.status])).toEqual([
      [0, 'pass'],
      [1, 'fail'],
      [2, 'fail'],
      [3, 'error'],
    ]);
    expect(items.data[1]).toMatchObject({
      object: 'eval.run.output_item',
      eval_id: of.id,
      run_id: finished.id,
      datasource_item: { answer: 'Rome' },
      results: [
        { name: same.id, type: 'string-check-grader', score: 0, passed: false, sample: null },
        { name: close.id, type: 'text-similarity-grader', score: 0.75, passed: true, sample: null },
      ],
      sample: { output: [{ role: 'assistant', content: 'Room' }], error: null },
    });
    expect(items.data[3].results[0].sample.error).toMatchObject({ code: 'invalid_variable_error' });
  });

  test('reads its rows from an uploaded file, and fails for a row that breaks the schema and for too many rows', async () => {
    const upload = async (lines: string | Buffer<ArrayBuffer>) => {
      const form = new FormData();
      form.append('purpose', 'evals');
      form.append('file', new Blob([lines]), 'rows.jsonl');
      const headers = { authorization: `Bearer ${project.server.key}`, 'x-heddle-project': project.name };
      const response = await fetch(`${project.server.url}/v1/files`, { method: 'POST', body: form, headers });
      return ((await response.json()) as { id: string }).id;
    };
    const of = await newEval();
    const row = JSON.stringify(recorded('a', 'a'));
    const source = { type: 'file_id', id: await upload(`${row}\n\n${row}\r\n`) };
    const finished = await run(of, { type: 'jsonl', source });
    expect(finished).toMatchObject({ data_source: { source }, result_counts: { total: 2, passed: 2 } });
    const separated = JSON.stringify(recorded('a\u2028b', 'a\u2028b'));
    const marked = await run(of, {
      type: 'jsonl',
      source: { type: 'file_id', id: await upload(`\ufeff${separated}`) },
    });
    expect(marked).toMatchObject({ result_counts: { total: 1, passed: 1 } });
    const wide = await upload(Buffer.from(`${row}\n`, 'utf16le'));
    const unread = await run(of, { type: 'jsonl', source: { type: 'file_id', id: wide } });
    expect(unread).toMatchObject({ status: 'failed', error: { code: 'invalid_request' } });
    expect(unread.error.message).toMatch(/looks like UTF-16\. Save it as UTF-8\.$/);
    const broken = await upload(`${row}\n{"item": {"answer": 1}}\n`);
    const failed = await run(of, { type: 'jsonl', source: { type: 'file_id', id: broken } });
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'invalid_request' } });
    expect(failed.error.message).toContain('Row 2 of the data is invalid: value/answer must be string');
    const tooMany = await upload(`${row}\n`.repeat(100_001));
    const refused = await run(of, { type: 'jsonl', source: { type: 'file_id', id: tooMany } });
    expect(refused.error).toEqual({ code: 'invalid_request', message: 'A run has at most 100000 rows.' });
    const missing = await post(`/${of.id}/runs`, {
      data_source: { type: 'jsonl', source: { type: 'file_id', id: 'x' } },
    });
    expect([missing.status, missing.json.error.param]).toEqual([404, 'data_source.source.id']);
  });

  test('lists its items by status and page by page, and reads one', async () => {
    const of = await newEval();
    const rows = Array.from({ length: 12 }, (_, i) => recorded('a', i % 3 === 0 ? 'a' : 'b'));
    const finished = await run(of, { type: 'jsonl', source: content(...rows) });
    const indexes = (page: any) => page.data.map((each: any) => each.datasource_item_id);
    expect(indexes(await itemsOf(finished, '?status=pass'))).toEqual([0, 3, 6, 9]);
    expect((await itemsOf(finished, '?status=failed')).data).toHaveLength(8);
    const first = await itemsOf(finished, '?limit=5');
    expect([indexes(first), first.has_more]).toEqual([[0, 1, 2, 3, 4], true]);
    const rest = await itemsOf(finished, `?limit=100&after=${first.last_id}`);
    expect([indexes(rest), rest.has_more]).toEqual([[5, 6, 7, 8, 9, 10, 11], false]);
    expect(indexes(await itemsOf(finished, '?order=desc&limit=3'))).toEqual([11, 10, 9]);
    const path = `/${of.id}/runs/${finished.id}/output_items`;
    expect((await get(`${path}/${first.last_id}`)).json).toEqual(first.data[4]);
    expect((await get(`${path}/outputitem_none`)).status).toBe(404);
  });

  test('asks a model with a template and sampling parameters, and counts the tokens of all models', async () => {
    await project.publishProvider(['one', 'judge']);
    const judge = {
      type: 'label_model',
      name: 'judge',
      model: 'custom::stub::judge',
      input: [{ role: 'user', content: 'Is {{ sample.output_json.city }} right?' }],
      labels: ['yes', 'no'],
      passing_labels: ['yes'],
    };
    const of = await newEval({ testing_criteria: [judge] });
    project.stub.answers.push(answering('{"city": "Paris"}'), answering('{"reasoning": "", "result": "yes"}'));
    const template = [
      { role: 'system', content: 'Answer briefly.' },
      { role: 'user', content: { type: 'input_text', text: 'What is {{ item.question }}?' } },
    ];
    const finished = await run(of, {
      type: 'responses',
      source: content({ item: { question: 'it', answer: 'x' } }),
      model: 'custom::stub::one',
      input_messages: { type: 'template', template },
      sampling_params: {
        temperature: 0.5,
        max_completion_tokens: 9,
        tools: [{ type: 'function', name: 'look', parameters: { type: 'object' }, strict: true }],
        text: { format: { type: 'json_schema', name: 'city', schema: { type: 'object' }, strict: true } },
      },
    });
    expect(finished).toMatchObject({
      model: 'custom::stub::one',
      result_counts: { total: 1, passed: 1 },
      per_model_usage: [
        {
          model_name: 'one',
          invocation_count: 1,
          prompt_tokens: 7,
          completion_tokens: 3,
          total_tokens: 10,
          cached_tokens: 0,
        },
        { model_name: 'judge', invocation_count: 1, total_tokens: 10 },
      ],
    });
    project.stub.answers.push(answering('{"result": "perhaps"}'));
    const row = { item: { answer: 'x' }, sample: { output_text: '{"city": "Paris"}' } };
    const unread = await run(of, { type: 'jsonl', source: content(row) });
    expect(unread).toMatchObject({
      result_counts: { total: 1, errored: 1 },
      per_model_usage: [{ model_name: 'judge', invocation_count: 1, total_tokens: 10 }],
    });
    const [{ results }] = (await itemsOf(unread)).data;
    expect(results[0].sample).toMatchObject({ model: 'stub-1-2024', error: { code: 'model_grader_parse_error' } });
    expect(project.stub.received[0]!.body).toMatchObject({
      messages: [
        { role: 'system', content: 'Answer briefly.' },
        { role: 'user', content: 'What is it?' },
      ],
      temperature: 0.5,
      max_completion_tokens: 9,
      tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object' }, strict: true } }],
      response_format: { type: 'json_schema', json_schema: { name: 'city', strict: true } },
    });
    expect(project.stub.received[1]!.body.messages).toEqual([{ role: 'user', content: 'Is Paris right?' }]);
    const [item] = (await itemsOf(finished)).data;
    expect(item.sample).toMatchObject({
      model: 'stub-1-2024',
      finish_reason: 'stop',
      input: [{ role: 'system', content: 'Answer briefly.' }, { role: 'user' }],
      output: [{ role: 'assistant', content: '{"city": "Paris"}' }],
      usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10, cached_tokens: 0 },
      temperature: 0.5,
      max_completion_tokens: 9,
    });
    expect(item.results[0]).toMatchObject({ score: 1, passed: true, sample: { model: 'stub-1-2024' } });
  });

  test('goes on when the model fails on a row, and says why', async () => {
    await project.publishProvider(['one']);
    project.stub.answers.push({ status: 400, json: { error: { message: 'odd question' } } });
    const of = await newEval();
    const finished = await run(of, {
      type: 'completions',
      source: content({ item: { answer: 'x', question: 'one' } }),
      model: 'custom::stub::one',
      input_messages: { type: 'item_reference', item_reference: 'item.question' },
    });
    expect(finished).toMatchObject({
      status: 'completed',
      result_counts: { total: 1, errored: 1 },
      per_testing_criteria_results: [{ passed: 0, failed: 1 }],
    });
    const [item] = (await itemsOf(finished)).data;
    expect(item).toMatchObject({ status: 'error', results: [], sample: { error: { code: 'model_error' } } });
    expect(item.sample.error.message).toContain('odd question');
  });

  test('fails with the reason if the model does not exist', async () => {
    const input_messages = { type: 'item_reference', item_reference: 'item.answer' };
    const data = {
      type: 'completions',
      source: content({ item: { answer: 'x' } }),
      model: 'custom::no::one',
      input_messages,
    };
    const finished = await run(await newEval(), data);
    expect(finished).toMatchObject({ status: 'failed', error: { code: 'not_found' } });
    expect(finished.error.message).toContain('no-one');
  });

  test('evaluates stored responses that match, and asks another model the whole conversation', async () => {
    const respond = async (more: object) => {
      const body = { model: 'heddle/tiny', input: 'Hi', max_output_tokens: 2, temperature: 0, ...more };
      return (await project.server.post('/v1/responses', body, { headers: { 'X-Heddle-Project': project.name } })).json;
    };
    const tool = { type: 'function', name: 'look_up', parameters: { type: 'object' }, strict: false };
    const first = await respond({ instructions: 'Be BRIEF', metadata: { usecase: 'a' }, user: 'ada', tools: [tool] });
    const second = await respond({ previous_response_id: first.id, input: 'Again', metadata: { usecase: 'a' } });
    await respond({ metadata: { usecase: 'b' } });
    await respond({ metadata: { usecase: 'a' }, store: false });
    const nonempty = { ...check, operation: 'ne', reference: '' };
    const logs = { type: 'logs', metadata: { usecase: 'a' } };
    const of = await newEval({ data_source_config: logs, testing_criteria: [nonempty] });
    const count = async () =>
      (await project.server.post('/calls/query_stats', { project_id: project.name })).json.count;
    await expect.poll(count).toBe(4);
    const source = (more: object = {}) => ({ type: 'responses', source: { type: 'responses', ...more } });
    const all = await run(of, source());
    const items = (await itemsOf(all)).data.map((each: any) => each.datasource_item);
    expect(items).toMatchObject([
      { id: second.id },
      { id: first.id, instructions: 'Be BRIEF', metadata: { usecase: 'a' } },
    ]);
    expect(items[1].input[0]).toEqual({ role: 'system', content: 'Be BRIEF' });
    const text = first.output.at(-1).content[0].text;
    expect(items[1].output).toEqual({ role: 'assistant', content: text });

    const only = {
      instructions_search: 'brief',
      tools: ['look_up'],
      users: ['ada'],
      temperature: 0,
      model: 'heddle/tiny',
    };
    expect((await run(of, source({ ...only, created_after: 1 }))).result_counts).toMatchObject({ total: 1 });
    expect(await run(of, source({ top_p: 0.3 }))).toMatchObject({ status: 'failed' });
    const asked = await run(of, {
      ...source({ created_after: 1 }),
      model: 'heddle/tiny',
      input_messages: { type: 'item_reference', item_reference: 'item.input' },
      sampling_params: { max_completion_tokens: 1 },
    });
    const { sample } = (await itemsOf(asked)).data[0];
    expect(sample.input.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(asked.result_counts).toMatchObject({ total: 2, errored: 0 });
  });

  test('evaluates stored chats that match the metadata, and asks another model the same', async () => {
    const chat = (metadata: object, text: string) =>
      project.server.post(
        '/v1/chat/completions',
        { model: 'heddle/tiny', messages: [{ role: 'user', content: text }], max_tokens: 3, metadata },
        { headers: { 'X-Heddle-Project': project.name } },
      );
    await chat({ usecase: 'a', version: '1' }, 'First');
    await chat({ usecase: 'a', version: '2' }, 'Second');
    await chat({ usecase: 'b', version: '1' }, 'Third');
    const nonempty = { ...check, operation: 'ne', reference: '' };
    const logs = { type: 'logs', metadata: { usecase: 'a' } };
    const of = await newEval({ data_source_config: logs, testing_criteria: [nonempty] });
    expect(of.data_source_config).toMatchObject({ ...logs, schema: { required: ['item', 'sample'] } });
    const stored = (more: object = {}) => ({ type: 'stored_completions', ...more });
    await expect
      .poll(async () => (await project.server.post('/calls/query_stats', { project_id: project.name })).json.count)
      .toBe(3);
    const all = await run(of, { type: 'completions', source: stored() });
    const items = (await itemsOf(all)).data;
    expect(items.map((each: any) => each.datasource_item.input[0].content)).toEqual(['Second', 'First']);
    expect(items[0]).toMatchObject({
      status: 'pass',
      datasource_item: { model: 'heddle/tiny', output: { role: 'assistant' } },
    });

    const again = await run(of, {
      type: 'completions',
      source: stored({ metadata: { version: '1' }, model: 'heddle/tiny', created_after: 1, limit: 5 }),
      model: 'heddle/tiny',
      input_messages: { type: 'item_reference', item_reference: 'item.input' },
      sampling_params: { max_completion_tokens: 2, temperature: 0 },
    });
    expect(again.result_counts).toMatchObject({ total: 1 });
    expect((await itemsOf(again)).data[0].sample.input).toEqual([{ role: 'user', content: 'First' }]);
    const none = await run(of, { type: 'completions', source: stored({ created_before: 1 }) });
    expect(none).toMatchObject({ status: 'failed', error: { message: 'The data source of the run has no rows.' } });
  });

  test('is an evaluation of the project, whose results are read as those of others', async () => {
    const of = await newEval({ testing_criteria: [check, similar] });
    const rows = [recorded('Paris', 'Paris'), recorded('Rome', 'Room')];
    const finished = await run(of, { type: 'jsonl', source: content(...rows) });
    const callId = finished.report_url.split('/').at(-1);
    const query = { evaluation_call_ids: [callId], include_rows: true, include_summary: true };
    const { json } = await project.server.post(`/v2/${project.name}/eval_results/query`, query);
    expect(json.rows).toHaveLength(2);
    const scores = json.rows.map((row: any) => row.evaluations[0].trials[0].scores);
    expect(scores).toContainEqual({ same: { score: 1, passed: true }, close: { score: 1, passed: true } });
    expect(scores).toContainEqual({ same: { score: 0, passed: false }, close: { score: 0.75, passed: true } });
    const { json: call } = await project.server.post('/call/read', { project_id: project.name, id: callId });
    expect(call.call.output).toMatchObject({ same: { passed: { true_count: 1, true_fraction: 0.5 } } });
  });

  test('is listed by status, canceled and deleted', async () => {
    const of = await newEval();
    const finished = await run(of, { type: 'jsonl', source: content(recorded('a', 'a')) });
    await project.publishProvider(['one']);
    project.stub.answers.push(() => {}); // never answers
    const { json: waiting } = await post(`/${of.id}/runs`, {
      data_source: {
        type: 'completions',
        source: content({ item: { answer: 'x' } }),
        model: 'custom::stub::one',
        input_messages: { type: 'item_reference', item_reference: 'item.answer' },
      },
    });
    await expect.poll(() => project.stub.received.length).toBe(1);
    expect((await get(`/${of.id}/runs?status=in_progress`)).json.data).toMatchObject([{ id: waiting.id }]);
    const canceled = await post(`/${of.id}/runs/${waiting.id}/cancel`);
    expect(canceled.json).toMatchObject({ id: waiting.id, status: 'canceled' });
    expect((await post(`/${of.id}/runs/${finished.id}`)).json.status).toBe('completed');
    const list = (await get(`/${of.id}/runs?order=desc`)).json;
    expect(list.data.map((each: any) => each.status)).toEqual(['canceled', 'completed']);
    const deleted = (await send('DELETE', `/${of.id}/runs/${waiting.id}`)).json;
    expect(deleted).toEqual({ object: 'eval.run.deleted', deleted: true, run_id: waiting.id });
    expect((await get(`/${of.id}/runs`)).json.data).toMatchObject([{ id: finished.id }]);
  });

  const rows = content({ item: { answer: 'x' } });
  const reference = { type: 'item_reference', item_reference: 'item.answer' };
  test.each([
    ['no rows', { type: 'jsonl', source: content() }, 'data_source.source.content'],
    ['a row without an item', { type: 'jsonl', source: content({}) }, 'data_source.source.content.0.item'],
    [
      'a row that breaks the schema',
      { type: 'jsonl', source: content({ item: { answer: 'a' } }, { item: { answer: 1 } }) },
      'data_source.source.content.1.item',
    ],
    ['a model without messages', { type: 'completions', source: rows, model: 'm' }, 'data_source.input_messages'],
    ['messages without a model', { type: 'completions', source: rows, input_messages: reference }, 'data_source.model'],
    [
      'a reference to something else',
      { type: 'completions', source: rows, model: 'm', input_messages: { ...reference, item_reference: 'x' } },
      'data_source.input_messages.item_reference',
    ],
    [
      'a template with a wrong variable',
      {
        type: 'completions',
        source: rows,
        model: 'm',
        input_messages: { type: 'template', template: [{ role: 'user', content: '{{x}}' }] },
      },
      'data_source.input_messages.template.0.content',
    ],
    [
      'a built-in tool',
      {
        type: 'responses',
        source: rows,
        model: 'm',
        input_messages: reference,
        sampling_params: { tools: [{ type: 'web_search' }] },
      },
      'data_source.sampling_params.tools.0',
    ],
    ['an unknown source', { type: 'jsonl', source: { type: 'url' } }, 'data_source.source.type'],
  ])('is rejected with %s', async (_, data_source, param) => {
    const { status, json } = await post(`/${(await newEval()).id}/runs`, { data_source });
    expect([status, json.error.type, json.error.param]).toEqual([400, 'invalid_request_error', param]);
  });
});
