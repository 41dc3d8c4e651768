import { describe, expect, test } from 'vitest';
import { addFeedback, callRef, queryFeedback, sendFeedback } from '../testing/feedback.ts';
import { testServer } from '../testing/server.ts';

const server = await testServer();

const field = (path: string) => ({ $getField: path });
const literal = (value: unknown) => ({ $literal: value });
const is = (operator: string, path: string, value: unknown) => ({
  $expr: { [operator]: [field(path), literal(value)] },
});

/** The ids that a query finds. */
async function found(project: string, query: unknown): Promise<string[]> {
  const { result, text } = await queryFeedback(server, project, { query });
  if (!result) throw new Error(text);
  return result.map(({ id }: { id: string }) => id);
}

const purge = (project: string, $expr: unknown) =>
  server.post('/feedback/purge', { project_id: project, query: { $expr } });
const byId = (id: unknown) => ({ $eq: [field('id'), literal(id)] });

describe('queries', () => {
  test('returns selected payload fields as strings [objects 158]', async () => {
    const project = await server.newProject();
    await addFeedback(server, project, { payload: { n: 5, b: true, z: null, o: { a: [1, 'x'] } } });
    const fields = ['payload.n', 'payload.b', 'payload.z', 'payload.o', 'payload.o.a.1', 'payload.none'];
    expect((await queryFeedback(server, project, { fields })).result).toEqual([
      {
        ...{ 'payload.n': '5', 'payload.b': 'true', 'payload.z': '' },
        ...{ 'payload.o': '{"a":[1,"x"]}', 'payload.o.a.1': 'x', 'payload.none': '' },
      },
    ]);
  });

  test('compares numbers in payloads as numbers [objects 159]', async () => {
    const project = await server.newProject();
    await addFeedback(server, project, { id: 'five', payload: { n: 5 } });
    await addFeedback(server, project, { id: 'three', payload: { n: 3 } });
    await addFeedback(server, project, { id: 'text', payload: { n: 'x' } });
    await addFeedback(server, project, { id: 'none' });
    expect(await found(project, is('$gt', 'payload.n', 4))).toEqual(['five']);
    expect(await found(project, is('$eq', 'payload.n', '5'))).toEqual(['five']);
    expect(await found(project, is('$eq', 'payload.n', ''))).toEqual(['none']);
    expect(await found(project, { $expr: { $not: [is('$gt', 'payload.n', 4).$expr] } })).toEqual(['three']);
  });

  test('finds feedback by its weave_ref [objects 160]', async () => {
    const project = await server.newProject();
    await addFeedback(server, project, { id: 'a', weave_ref: callRef(project, '1') });
    await addFeedback(server, project, { id: 'b', weave_ref: callRef(project, '2') });
    expect(await found(project, is('$eq', 'weave_ref', callRef(project, '2')))).toEqual(['b']);
    const contains = { $contains: { input: field('weave_ref'), substr: literal(`weave:///${project}/call/`) } };
    expect(await found(project, { $expr: contains })).toEqual(['a', 'b']);
    expect(await found(project, { $expr: { $in: [field('weave_ref'), [literal(callRef(project, '1'))]] } })).toEqual([
      'a',
    ]);
  });

  test('rejects unknown fields [objects 161]', async () => {
    const project = await server.newProject();
    const queries = [
      { fields: ['nope'] },
      { query: is('$eq', 'nope', 1) },
      { sort_by: [{ field: 'nope', direction: 'asc' }] },
      { fields: ['id.x'] },
    ];
    const answers = await Promise.all(queries.map((query) => queryFeedback(server, project, query)));
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
    expect(answers[0]!.json).toEqual({ reason: 'Unknown field: nope' });
    expect((await queryFeedback(server, project, { fields: ['payload.-1'] })).status).toBe(422);
    const extra = await queryFeedback(server, project, { query: { ...is('$eq', 'id', 'x'), more: 1 } });
    expect(extra.status).toBe(422);
    expect((await queryFeedback(server, project, { query: { $expr: { $and: [] } } })).status).toBe(400);
  });

  test('returns only the full count for limit 0 [objects 162]', async () => {
    const project = await server.newProject();
    for (const id of ['a', 'b', 'c']) await addFeedback(server, project, { id });
    expect(await queryFeedback(server, project, { limit: 0 })).toMatchObject({ result: [], total: 3 });
    expect(await queryFeedback(server, project, { limit: 1, offset: 1 })).toMatchObject({
      result: [{ id: 'b' }],
      total: 3,
    });
    expect((await queryFeedback(server, project, { limit: -1 })).reason).toBe('Limit must be non-negative');
    expect((await queryFeedback(server, project, { offset: -1 })).status).toBe(400);
    const counted = await queryFeedback(server, project, { fields: ['count(*)'] });
    expect(counted.json).toEqual({ result: [{ 'count(*)': 3 }], total_count: 3 });
    for (const [page, rows] of [
      [{ limit: 1 }, 1],
      [{ limit: 0 }, 0],
      [{ offset: 1 }, 0],
      [{ limit: 5, offset: 0 }, 1],
    ] as const) {
      const { json } = await queryFeedback(server, project, { fields: ['count(*)'], ...page });
      expect(json).toEqual({ result: rows === 1 ? [{ 'count(*)': 3 }] : [], total_count: 3 });
    }
  });

  test('$contains matches whole tags only [objects 163]', async () => {
    const project = await server.newProject();
    const tagged = { feedback_type: 'wandb.agent_user_feedback', weave_ref: 'r' };
    await addFeedback(server, project, {
      ...tagged,
      id: 'a',
      scorer_tags: ['Very good', 'x'],
      scorer_ratings: { a: 0.5 },
    });
    const contains = (substr: string, case_insensitive = false) => ({
      $expr: { $contains: { input: field('scorer_tags'), substr: literal(substr), case_insensitive } },
    });
    expect(await found(project, contains('good'))).toEqual([]);
    expect(await found(project, contains('Very good'))).toEqual(['a']);
    expect(await found(project, contains('very GOOD', true))).toEqual(['a']);
    expect(await found(project, is('$gte', 'scorer_ratings.a', 0.5))).toEqual(['a']);
    expect(await found(project, is('$gte', 'scorer_ratings.b', 0))).toEqual([]);
    expect(await found(project, { $expr: { $not: [is('$gte', 'scorer_ratings.b', 0).$expr] } })).toEqual([]);
    const fields = ['scorer_tags', 'scorer_ratings', 'scorer_ratings.a', 'scorer_ratings.b'];
    expect((await queryFeedback(server, project, { fields })).result).toEqual([
      {
        scorer_tags: ['Very good', 'x'],
        scorer_ratings: { a: 0.5 },
        'scorer_ratings.a': 0.5,
        'scorer_ratings.b': null,
      },
    ]);
  });

  test.each(['2020-01-01T00:00:00Z', '2020-01-01', 1577836800])(
    'compares created_at with %j [objects 164]',
    async (time) => {
      const project = await server.newProject();
      await addFeedback(server, project, { id: 'a' });
      expect(await found(project, is('$gt', 'created_at', time))).toEqual(['a']);
      expect(await found(project, is('$lt', 'created_at', time))).toEqual([]);
    },
  );

  test('sorts payloads like those of calls: numbers, text, then missing values', async () => {
    const project = await server.newProject();
    const values: [string, unknown][] = [
      ['text', 'x'],
      ['ten', 10],
      ['none', null],
      ['nine', '9'],
    ];
    for (const [id, v] of values) await addFeedback(server, project, { id, payload: { v } });
    const sorted = async (direction: string) => {
      const { result } = await queryFeedback(server, project, { sort_by: [{ field: 'payload.v', direction }] });
      return result.map(({ id }: { id: string }) => id);
    };
    expect(await sorted('asc')).toEqual(['nine', 'ten', 'text', 'none']);
    expect(await sorted('desc')).toEqual(['ten', 'nine', 'text', 'none']);
  });

  test('columns that were not sent are null', async () => {
    const project = await server.newProject();
    await addFeedback(server, project, { id: 'a', creator: 'me' });
    await addFeedback(server, project, { id: 'b' });
    expect(await found(project, is('$eq', 'creator', null))).toEqual(['b']);
    expect(await found(project, is('$eq', 'project_id', project))).toEqual(['a', 'b']);
  });
});

describe('purge and replace', () => {
  test('purges feedback by id, and a second purge succeeds [objects 165]', async () => {
    const project = await server.newProject();
    const id = await addFeedback(server, project, { weave_ref: callRef(project, '1') });
    for (let i = 0; i < 2; i++) expect((await purge(project, byId(id))).text).toBe('{}');
    expect((await queryFeedback(server, project)).result).toEqual([]);
    await addFeedback(server, project, { id, weave_ref: callRef(project, '1') });
    expect((await queryFeedback(server, project)).total).toBe(1);
  });

  test('purges several ids at once [objects 166]', async () => {
    const project = await server.newProject();
    for (const id of ['a', 'b', 'c']) await addFeedback(server, project, { id });
    await purge(project, { $or: [byId('a'), byId('c'), byId('unknown')] });
    expect((await queryFeedback(server, project)).result).toMatchObject([{ id: 'b' }]);
  });

  test.each([
    ['$in', { $in: [field('id'), [literal('a')]] }],
    ['the type', { $eq: [field('feedback_type'), literal('custom')] }],
    ['$and', { $and: [byId('a')] }],
    ['an id or another field', { $or: [byId('a'), { $eq: [field('creator'), literal('x')] }] }],
    ['a literal before the field', { $eq: [literal('a'), field('id')] }],
    ['an id that is a number', byId(5)],
  ])('rejects a purge by %s [objects 167]', async (_name, $expr) => {
    const project = await server.newProject();
    await addFeedback(server, project, { id: 'a' });
    expect((await purge(project, $expr)).status).toBe(400);
    expect((await queryFeedback(server, project)).total).toBe(1);
  });

  const replace = (project: string, feedback_id: string, more: object = {}) =>
    server.post('/feedback/replace', {
      ...{ project_id: project, weave_ref: callRef(project, 'c'), feedback_type: 'custom', payload: { v: 2 } },
      ...{ feedback_id, ...more },
    });

  test('replaces feedback and gives the new one its own id [objects 168]', async () => {
    const project = await server.newProject();
    const old = await addFeedback(server, project, { payload: { v: 1 } });
    const { json } = await replace(project, old);
    expect(json.id).not.toBe(old);
    expect((await queryFeedback(server, project)).result).toMatchObject([{ id: json.id, payload: { v: 2 } }]);
    expect((await replace(project, 'unknown')).status).toBe(200);
    const same = await replace(project, json.id, { id: json.id, payload: { v: 3 } });
    expect(same.json.id).toBe(json.id);
    const rows = (await queryFeedback(server, project, { query: { $expr: byId(json.id) } })).result;
    expect(rows).toMatchObject([{ payload: { v: 3 } }]);
  });

  test('keeps the old feedback if the new one is invalid [objects 169]', async () => {
    const project = await server.newProject();
    const old = await addFeedback(server, project);
    expect((await replace(project, old, { feedback_type: 'wandb.note.1' })).status).toBe(400);
    expect((await queryFeedback(server, project)).result).toMatchObject([{ id: old }]);
  });

  test('accepts feedback on an unknown call', async () => {
    const project = await server.newProject();
    expect((await sendFeedback(server, project, { weave_ref: callRef(project, 'never-there') })).status).toBe(200);
  });
});
