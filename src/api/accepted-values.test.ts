import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { otlpJson } from '../otel/testing/span.ts';
import { JsonNumber, type LosslessJson, type LosslessObject, parseLossless } from '../util/json/lossless.ts';
import { sampledRuns } from '../util/testing/sampled-runs.ts';
import { completeOf } from './testing/calls.ts';
import {
  anyText,
  isoText,
  microseconds,
  numberText,
  objectText,
  textWithLoneSurrogates,
} from './testing/extreme-values.ts';
import { addFeedback, queryFeedback } from './testing/feedback.ts';
import { freshProject } from './testing/fresh-project.ts';

/**
 * Whatever a write endpoint accepts can be read through every endpoint that shows it, and is what was sent. `PROPERTY_RUNS`
 * tries more values than these few.
 */
const project = freshProject();
const runs = { numRuns: Number(process.env.PROPERTY_RUNS ?? sampledRuns(20)) };

/** Reads, and answers must be fine. */
async function read(path: string, more: object = {}) {
  const answer = await project.post(path, { project_id: project.name, ...more });
  expect([answer.status, path, answer.status === 200 ? '' : answer.text]).toEqual([200, path, '']);
  return answer;
}

describe('calls', () => {
  /** Mostly plain, so that most calls are taken and their extreme values stored. */
  const mostly = <Value>(plain: Value, extreme: fc.Arbitrary<Value>) =>
    fc.oneof({ weight: 4, arbitrary: fc.constant(plain) }, { weight: 1, arbitrary: extreme });
  const aTime = fc.oneof(
    { weight: 4, arbitrary: fc.bigInt({ min: -(2n ** 53n) + 1n, max: 2n ** 53n - 1n }) },
    { weight: 1, arbitrary: microseconds },
  );
  const fields = fc.record({
    started: aTime,
    ended: aTime,
    op_name: mostly('op', anyText),
    display_name: mostly('', anyText),
    thread_id: textWithLoneSurrogates,
    turn_id: fc.boolean(),
    exception: anyText,
    attributes: objectText,
    inputs: objectText,
    output: objectText,
    id: mostly(null, fc.oneof(fc.string({ unit: 'binary', minLength: 16, maxLength: 16 }), anyText)),
    wb_run_step: mostly('9223372036854775807', numberText),
    wb_run_step_end: mostly('9007199254740993', numberText),
    tokens: mostly('9007199254740991', numberText),
    model: anyText,
  });
  type Fields = typeof fields extends fc.Arbitrary<infer Value> ? Value : never;

  /** A call as JSON text, since numbers must keep their digits. */
  function callTexts(sent: Fields) {
    const id = sent.id?.toWellFormed() ?? randomUUID();
    const { op_name, display_name, thread_id, exception } = sent;
    const identity = { project_id: project.name, id, trace_id: randomUUID() };
    const start = [
      ...members({ ...identity, op_name, display_name, thread_id, turn_id: sent.turn_id ? id : null }),
      `"started_at":"${isoText(sent.started)}"`,
      `"attributes":${sent.attributes}`,
      `"inputs":${sent.inputs}`,
      `"wb_run_step":${sent.wb_run_step}`,
    ];
    const usage = `{${JSON.stringify(sent.model)}:{"input_tokens":${sent.tokens},"total_tokens":${sent.tokens}}}`;
    const end = [
      ...members({ exception }),
      `"ended_at":"${isoText(sent.ended)}"`,
      `"output":${sent.output}`,
      `"summary":{"usage":${usage},"more":${sent.inputs}}`,
      `"wb_run_step_end":${sent.wb_run_step_end}`,
    ];
    const endAlone = [...members({ project_id: project.name, id }), ...end];
    return { id, traceId: identity.trace_id, start, end, endAlone };
  }

  function members(values: object): string[] {
    return Object.entries(values).map(([key, value]) => `"${key}":${JSON.stringify(value)}`);
  }

  const write = {
    async complete({ start, end }: ReturnType<typeof callTexts>) {
      const good = completeOf(project.name);
      const batch = `{"batch":[{${[...start, ...end]}},${JSON.stringify(good)}]}`;
      const answer = await project.post(`/v2/${project.name}/calls/complete`, batch);
      if (answer.status === 200) expect((await read('/call/read', { id: good.id })).json.call).not.toBeNull();
      const isAccepted = answer.status === 200 && answer.json.rejected === undefined;
      return { ...answer, isAccepted, isThere: isAccepted };
    },
    async batch({ start, endAlone }: ReturnType<typeof callTexts>) {
      const items = [`{"mode":"end","req":{"end":{${endAlone}}}}`, `{"mode":"start","req":{"start":{${start}}}}`];
      const answer = await project.post('/call/upsert_batch', `{"batch":[${items}]}`);
      const [ended, started] = (answer.json.res ?? []).map((each: object) => !('reason' in each));
      return { ...answer, isAccepted: started && ended, isThere: started === true };
    },
    async startAndEnd({ start, endAlone }: ReturnType<typeof callTexts>) {
      const started = await project.post('/call/start', `{"start":{${start}}}`);
      const ended = await project.post('/call/end', `{"end":{${endAlone}}}`);
      const answer = started.status === 200 ? ended : started;
      return { ...answer, isAccepted: answer.status === 200, isThere: started.status === 200 };
    },
    async v2({ start, endAlone }: ReturnType<typeof callTexts>) {
      const started = await project.post(`/v2/${project.name}/call/start`, `{"start":{${start}}}`);
      const ended = await project.post(`/v2/${project.name}/call/end`, `{"end":{${endAlone}}}`);
      const answer = started.status === 200 ? ended : started;
      return { ...answer, isAccepted: answer.status === 200, isThere: started.status === 200 };
    },
  };

  const shown = (micros: bigint) => isoText(micros).replace('.000000Z', 'Z');
  const textOrNull = (text: string) => text.toWellFormed() || null;

  const ways = fc.constantFrom(...(Object.keys(write) as (keyof typeof write)[]));

  test('of any values, or refused', async () => {
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(ways, fields, async (way, sent) => {
        const texts = callTexts(sent);
        const { isAccepted, isThere, status, text } = await write[way](texts);
        expect([200, 400, 422], text).toContain(status);
        await readAll(texts.id, sent, isThere);
        if (!isAccepted) return;
        accepted++;
        const answer = await read('/call/read', { id: texts.id });
        for (const field of ['attributes', 'inputs', 'output'] as const) {
          expect(answer.text).toContain(`"${field}":${sent[field]}`);
        }
        for (const field of ['wb_run_step', 'wb_run_step_end'] as const) {
          expect(answer.text).toContain(`"${field}":${wholeNumber(sent[field])},`);
        }
        expect(answer.json.call).toMatchObject({
          op_name: sent.op_name.toWellFormed(),
          display_name: textOrNull(sent.display_name),
          thread_id: textOrNull(sent.thread_id),
          exception: textOrNull(sent.exception),
          started_at: shown(sent.started),
          ended_at: shown(sent.ended),
        });
      }),
      runs,
    );
    expect(accepted).toBeGreaterThan(0);
  });

  const wholeNumber = (text: string) =>
    text === 'null' ? text : String(/^-?\d+$/.test(text) ? BigInt(text) : BigInt(Number(text)));

  async function readAll(id: string, sent: Fields, isThere: boolean) {
    const one = { filter: { call_ids: [id] } };
    const lists = [
      await read('/calls/stream_query'),
      await read('/calls/stream_query', one),
      await read('/calls/stream_query', { limit: 1000, sort_by: [{ field: 'started_at', direction: 'desc' }] }),
      await read('/calls/stream_query', { limit: 1000, sort_by: [{ field: 'inputs.b', direction: 'asc' }] }),
      await read('/calls/stream_query', { ...one, include_costs: true, include_feedback: true }),
      await read('/calls/stream_query', { include_storage_size: true, include_total_storage_size: true }),
      await read('/calls/stream_query', { columns: ['inputs.b', 'wb_run_step', 'ended_at', 'summary'] }),
    ];
    const [first] = lists[0]!.lines.filter((call) => call.id === id);
    expect(first !== undefined).toBe(isThere);
    for (const { lines } of lists) expect(lines.some((call) => call.id === id)).toBe(isThere);
    await read('/calls/stream_query', { query: { $expr: { $gt: [{ $getField: 'inputs.b' }, { $literal: 1 }] } } });
    const contains = { input: { $getField: 'inputs.b' }, substr: { $literal: 'a' } };
    await read('/calls/stream_query', { query: { $expr: { $contains: contains } } });
    expect((await read('/call/read', { id })).json.call).toEqual(isThere ? withNames(first) : null);
    expect((await read('/calls/query_stats', one)).json.count).toBe(isThere ? 1 : 0);
    await read('/trace/usage', { limit: 100_000 });
    await read('/threads/stream_query');
    if (!isThere) return;
    const usage = await read('/calls/usage', { call_ids: [id], include_costs: true });
    if (sent.tokens !== 'null' && first.ended_at !== null) {
      const tokens = { prompt_tokens: Number(sent.tokens), total_tokens: Number(sent.tokens) };
      expect(usage.json.call_usage[id][sent.model.toWellFormed()]).toMatchObject(tokens);
    }
    const metrics = [{ metric: 'total_tokens', aggregations: ['sum'] }];
    const start = Date.parse(first.started_at);
    const range = { start: new Date(start - 60_000).toISOString(), end: new Date(start + 60_000).toISOString() };
    if (range.start.startsWith('+') || range.end.startsWith('+')) return;
    await read('/calls/stats', { ...range, usage_metrics: metrics, call_metrics: [{ metric: 'latency_ms' }] });
  }

  /** `/call/read` leaves out no field; a list has the same ones. */
  const withNames = (call: object) => expect.objectContaining(call);

  test('renamed to any name, or refused', async () => {
    const [id] = await project.log({});
    await fc.assert(
      fc.asyncProperty(textWithLoneSurrogates, async (name) => {
        const answer = await project.post('/call/update', {
          project_id: project.name,
          call_id: id,
          display_name: name,
        });
        expect([200, 400]).toContain(answer.status);
        const { call } = (await read('/call/read', { id })).json;
        if (answer.status === 200) expect(call.display_name).toBe(textOrNull(name));
      }),
      runs,
    );
  });
});

describe('spans', () => {
  const nanoseconds = fc.oneof(
    fc.constantFrom('0', '1', '-1', '18446744073709551615', '18446744073709551616', '9223372036854775807'),
    fc.constantFrom('1e30', '9'.repeat(60), '4102444800000000000'),
    fc.bigInt({ min: 0n, max: 2n ** 64n }).map(String),
    microseconds.map((micros) => String(micros * 1000n)),
  );
  const span = fc.record({
    startTimeUnixNano: nanoseconds,
    endTimeUnixNano: nanoseconds,
    name: anyText,
    kind: fc.constantFrom(0, 3, 99, -1),
    attributes: fc.record({
      text: anyText,
      'input.value': fc.oneof(anyText, objectText),
      'wandb.wb_run_step': fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      'gen_ai.usage.input_tokens': fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      'langfuse.startTime': fc.oneof(microseconds.map(isoText), anyText, fc.constant('0000-01-01T00:00:00Z')),
      'wandb.thread_id': anyText,
      double: fc.double().map((value) => ({ doubleValue: Number.isFinite(value) ? value : String(value) })),
    }),
  });

  test.each(['/otel/v1/traces', '/agents/otel/v1/traces'])('sent to %s', async (path) => {
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(span, async (sent) => {
        const spanId = randomUUID().replaceAll('-', '').slice(0, 16);
        const good = randomUUID().replaceAll('-', '').slice(0, 16);
        const body = otlpJson([{ ...sent, spanId }, { spanId: good }], {
          'wandb.entity': 'ent',
          'wandb.project': project.name.slice(4),
        });
        const answer = await project.post(path, body);
        expect([200, 400], answer.text).toContain(answer.status);
        const isRefused = answer.status === 400 || /"rejected_spans":1/.test(answer.text);
        const { lines } = await read('/calls/stream_query', { filter: { call_ids: [spanId, good] } });
        expect(lines.map(({ id }) => id).sort()).toEqual(
          answer.status === 400 ? [] : (isRefused ? [good] : [good, spanId]).sort(),
        );
        await read('/calls/stream_query');
        await read('/trace/usage', { limit: 100_000 });
        if (isRefused) return;
        accepted++;
        const { call } = (await read('/call/read', { id: spanId })).json;
        expect(call.attributes.otel_span.start_time_unix_nano).toBe(sent.startTimeUnixNano);
        expect(call.attributes.otel_span.attributes.text).toBe(jsonOr(sent.attributes.text.toWellFormed()));
      }),
      runs,
    );
    expect(accepted).toBeGreaterThan(0);
  });

  /** Text that is a JSON object or list is shown as that. */
  const jsonOr = (text: string) => (/^[[{]/.test(text) ? expect.anything() : text);
});

const keyText = anyText.filter((text) => text !== '__proto__'); // which is the key of no map

describe('feedback', () => {
  const texts = fc.dictionary(keyText, anyText, { maxKeys: 4, noNullPrototype: true });
  const numbers = fc.array(fc.tuple(keyText, numberText), { maxLength: 4 });
  const numbersText = (pairs: [string, string][]) =>
    `{${[...new Map(pairs)].map(([key, number]) => `${JSON.stringify(key.toWellFormed())}:${number}`)}}`;

  test('of any values, or refused', async () => {
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          id: fc.oneof(fc.uuid(), anyText),
          creator: textWithLoneSurrogates,
          weave_ref: anyText,
          tags: fc.array(anyText),
          reasons: texts,
          ratings: numbers,
          confidences: numbers,
          payload: objectText,
          scorer_trace_id: anyText,
        }),
        async (sent) => {
          const payload = sent.payload.replace(/^\{/, sent.payload === '{}' ? '{"output":1' : '{"output":1,');
          const ref = `weave:///${project.name}/object/s:digest`;
          const { id, creator, weave_ref, tags: scorer_tags, reasons: scorer_tag_reasons, scorer_trace_id } = sent;
          const plain = { project_id: project.name, id, creator, weave_ref, scorer_tags, scorer_tag_reasons };
          const body = [
            JSON.stringify({ ...plain, scorer_trace_id, feedback_type: 'wandb.runnable.s', runnable_ref: ref }).slice(
              1,
              -1,
            ),
            `"payload":${payload}`,
            `"scorer_ratings":${numbersText(sent.ratings)}`,
            `"scorer_rating_confidences":${numbersText(sent.confidences)}`,
          ];
          const answer = await project.post('/feedback/create', `{${body}}`);
          expect([200, 400, 422], answer.text).toContain(answer.status);
          const { result } = await queryFeedback(project as never, project.name);
          expect(result).toBeDefined();
          await read('/feedback/query', { sort_by: [{ field: 'payload.b', direction: 'asc' }] });
          await read('/calls/stream_query', { include_feedback: true });
          if (answer.status !== 200) return;
          accepted++;
          const fields = ['id', 'payload', 'creator', 'weave_ref', 'scorer_tags', 'scorer_tag_reasons'];
          const { text, json } = await read('/feedback/query', { fields: [...fields, 'scorer_ratings', 'created_at'] });
          const found = json.result.findLast((each: { id: string }) => each.id === answer.json.id);
          expect(text).toContain(`"payload":${payload}`);
          expect(found).toMatchObject({
            creator: textOrNullOf(creator),
            weave_ref: weave_ref.toWellFormed(),
            scorer_tags: scorer_tags.map((tag) => tag.toWellFormed()),
          });
          const wellFormed = Object.entries(scorer_tag_reasons).map((pair) => pair.map((each) => each.toWellFormed()));
          expect(Object.entries(found.scorer_tag_reasons).sort()).toEqual(wellFormed.sort());
          const ratings = [...new Map(sent.ratings)].map(([key, number]) => [key.toWellFormed(), Number(number) + 0]);
          expect(Object.entries(found.scorer_ratings).sort()).toEqual(ratings.sort());
        },
      ),
      runs,
    );
    expect(accepted).toBeGreaterThan(0);
  });

  const textOrNullOf = (text: string) => text.toWellFormed() || null;

  test('is added beside the extreme', async () => {
    expect(await addFeedback(project as never, project.name)).toBeTypeOf('string');
  });
});

describe('objects, tables, files and prices', () => {
  /**
   * JSON as a value: objects keep neither the order of keys nor how numbers are written, and infinities are null. Not by
   * `JSON.parse`, which in this version of Node misreads an escaped key once in some thousand objects.
   */
  const asValue = (tree: LosslessJson): unknown => {
    if (tree instanceof JsonNumber) return Number.isFinite(tree.valueOf()) ? tree.valueOf() + 0 : null;
    if (Array.isArray(tree)) return tree.map(asValue);
    if (tree instanceof Map) return new Map([...tree].sort().map(([key, member]) => [key, asValue(member)]));
    return tree;
  };

  test('objects of any value', async () => {
    await fc.assert(
      fc.asyncProperty(objectText, async (value) => {
        const obj = `{"project_id":"${project.name}","object_id":"o","val":${value}}`;
        const made = await project.post('/obj/create', `{"obj":${obj}}`);
        expect([200, 400, 422], made.text).toContain(made.status);
        await read('/objs/query');
        if (made.status !== 200) return;
        const found = await read('/obj/read', { object_id: 'o', digest: made.json.digest });
        const { obj: shown } = Object.fromEntries(parseLossless(found.text) as LosslessObject);
        expect(asValue((shown as LosslessObject).get('val')!)).toEqual(asValue(parseLossless(value)));
      }),
      runs,
    );
  });

  test('tables of any rows', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(objectText, { maxLength: 4 }), async (objects) => {
        // Rows of one digest are one row, however their numbers are written: these differ from all others.
        const rows = objects.map((row) => row.replace('{', `{"id":"${randomUUID()}"${row === '{}' ? '' : ','}`));
        const made = await project.post('/table/create', `{"table":{"project_id":"${project.name}","rows":[${rows}]}}`);
        expect(made.status, made.text).toBe(200);
        const { digest } = made.json;
        const found = await read('/table/query', { digest });
        for (const row of rows) expect(found.text).toContain(`"val":${row}`);
        await read('/table/query', { digest, sort_by: [{ field: 'b', direction: 'desc' }] });
        await read('/table/query_stream', { digest });
        await read('/table/query_stats', { digest });
      }),
      runs,
    );
  });

  test('prices of any size and date, or refused', async () => {
    await fc.assert(
      fc.asyncProperty(numberText, numberText, microseconds, keyText, async (prompt, completion, from, model) => {
        const date = isoText(from);
        const price = `{"prompt_token_cost":${prompt},"completion_token_cost":${completion},"effective_date":"${date}"}`;
        const costs = `{${JSON.stringify(model.toWellFormed())}:${price}}`;
        const made = await project.post('/cost/create', `{"project_id":"${project.name}","costs":${costs}}`);
        expect([200, 400, 422], made.text).toContain(made.status);
        const { json } = await read('/cost/query');
        const [id] = await project.log({ summary: { usage: { [model]: { input_tokens: 2 ** 50 } } } });
        await read('/calls/stream_query', { include_costs: true });
        await read('/calls/usage', { call_ids: [id], include_costs: true });
        if (made.status !== 200) return;
        const found = json.results.find((each: { id: string }) => each.id === made.json.ids[0][0]);
        const wholeSeconds = from - (((from % 1_000_000n) + 1_000_000n) % 1_000_000n);
        expect(found).toMatchObject({
          llm_id: model.toWellFormed(),
          prompt_token_cost: Number(prompt) + 0,
          completion_token_cost: Number(completion) + 0,
          effective_date: isoText(wholeSeconds).replace('.000000Z', 'Z'),
        });
      }),
      runs,
    );
  });
});
