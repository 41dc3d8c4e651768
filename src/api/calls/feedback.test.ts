import { describe, expect, test } from 'vitest';
import { logCalls, queryCalls, readCall } from '../testing/calls.ts';
import { addFeedback, callRef } from '../testing/feedback.ts';
import { testServer } from '../testing/server.ts';

const server = await testServer();

const field = (path: string) => ({ $getField: path });
const literal = (value: unknown) => ({ $literal: value });
const is = (operator: string, path: string, value: unknown) => ({ [operator]: [field(path), literal(value)] });
const contains = (path: string, substr: string) => ({ $contains: { input: field(path), substr: literal(substr) } });

/** A project with calls named in order, as `op`, and what the tests ask of it. */
async function projectWith(names: string[]) {
  const project = await server.newProject();
  const ids = await logCalls(
    server,
    project,
    names.map((op_name, i) => ({ op_name, started_at: `2024-01-01T00:00:0${i}Z` })),
  );
  const idOf = (name: string) => ids[names.indexOf(name)]!;
  return {
    project,
    idOf,
    comment: (name: string, type: string, payload: unknown, more: object = {}) =>
      addFeedback(server, project, { weave_ref: callRef(project, idOf(name)), feedback_type: type, payload, ...more }),
    score: (name: string, output: unknown, scorer = 's') =>
      addFeedback(server, project, {
        ...{ weave_ref: callRef(project, idOf(name)), feedback_type: `wandb.runnable.${scorer}`, payload: { output } },
        runnable_ref: `weave:///${project}/object/${scorer}:d`,
      }),
    async find($expr: unknown, more: object = {}): Promise<string[]> {
      const { calls, text, status } = await queryCalls(server, project, { query: { $expr }, ...more });
      if (status !== 200) throw new Error(text);
      return calls.map(({ op_name }) => op_name);
    },
    async sort(direction: string, path: string): Promise<string[]> {
      const { calls } = await queryCalls(server, project, { sort_by: [{ field: path, direction }] });
      return calls.map(({ op_name }) => op_name);
    },
    async count($expr: unknown, more: object = {}): Promise<number> {
      return (await server.post('/calls/query_stats', { project_id: project, query: { $expr }, ...more })).json.count;
    },
  };
}

describe('feedback in answers', () => {
  test('returns the feedback on a call if asked for [calls 63]', async () => {
    const { project, idOf, comment } = await projectWith(['a', 'b']);
    const id = await comment('a', 'wandb.reaction.1', { emoji: '👍' });
    const { calls } = await queryCalls(server, project, { include_feedback: true });
    expect(calls[1].summary.weave.feedback).toEqual([]);
    expect(calls[0].summary.weave).toMatchObject({ status: 'success', trace_name: 'a' });
    expect(calls[0].summary.weave.feedback).toEqual([
      {
        ...{ id, feedback_type: 'wandb.reaction.1', weave_ref: callRef(project, idOf('a')), creator: null },
        payload: { emoji: '👍', alias: ':thumbs_up:', detoned: '👍', detoned_alias: ':thumbs_up:' },
        ...{ created_at: expect.any(String), wb_user_id: expect.any(String) },
        ...{ runnable_ref: null, call_ref: null, trigger_ref: null, annotation_ref: null, scorer_tags: [] },
        ...{ scorer_tag_reasons: {}, scorer_tag_confidences: {}, scorer_ratings: {} },
        ...{ scorer_rating_reasons: {}, scorer_rating_confidences: {} },
      },
    ]);
    expect((await queryCalls(server, project)).calls[0].summary.weave).not.toHaveProperty('feedback');
  });

  test('replaces what the client stored as feedback', async () => {
    const project = await server.newProject();
    await logCalls(server, project, [{ summary: { weave: { feedback: 'mine', other: 1 } } }]);
    const { calls } = await queryCalls(server, project, { include_feedback: true });
    expect(calls[0].summary.weave).toMatchObject({ feedback: [], other: 1 });
    expect((await queryCalls(server, project)).calls[0].summary.weave.feedback).toBe('mine');
  });

  test('returns feedback in order and without purged items, whichever columns are selected', async () => {
    const { project, comment } = await projectWith(['a']);
    for (const id of ['z', 'm', 'a']) await comment('a', 'wandb.note.1', { note: id }, { id });
    const $expr = { $eq: [field('id'), literal('m')] };
    await server.post('/feedback/purge', { project_id: project, query: { $expr } });
    const { calls } = await queryCalls(server, project, { include_feedback: true, columns: ['id'] });
    expect(calls[0].summary.weave.feedback.map(({ id }: { id: string }) => id)).toEqual(['z', 'a']);
  });
});

describe('queries by feedback', () => {
  test('finds a call by any of its reactions [calls 103]', async () => {
    const { comment, find, count } = await projectWith(['a', 'b', 'c']);
    await comment('a', 'wandb.reaction.1', { emoji: '👍' });
    await comment('a', 'wandb.reaction.1', { emoji: '🎉' });
    await comment('b', 'wandb.reaction.1', { emoji: '👍' });
    const emoji = 'feedback.[wandb.reaction.1].payload.emoji';
    expect(await find(is('$eq', emoji, '🎉'))).toEqual(['a']);
    expect(await find(is('$eq', emoji, '👍'))).toEqual(['a', 'b']);
    expect(await count(is('$eq', emoji, '👍'))).toBe(2);
    expect(await find({ $not: [is('$eq', emoji, '🎉')] })).toEqual(['b', 'c']);
    expect(await find({ $in: [field(emoji), [literal('🎉'), literal('x')]] })).toEqual(['a']);
    expect(await find(contains('feedback.[wandb.reaction.1].payload.alias', 'popper'))).toEqual(['a']);
    expect(await find({ $or: [is('$eq', emoji, '🎉'), is('$eq', 'op_name', 'c')] })).toEqual(['a', 'c']);
  });

  test('finds the calls without a note [calls 104]', async () => {
    const { comment, find, count } = await projectWith(['a', 'b', 'c']);
    await comment('b', 'wandb.note.1', { note: 'looks good' });
    const note = 'feedback.[wandb.note.1].payload.note';
    expect(await find(is('$eq', note, null))).toEqual(['a', 'c']);
    expect(await count(is('$eq', note, null))).toBe(2);
    expect(await find({ $not: [is('$eq', note, null)] })).toEqual(['b']);
    expect(await find(contains(note, 'good'))).toEqual(['b']);
  });

  test('compares numbers in payloads as numbers [calls 105]', async () => {
    const { project, score, find, count, idOf } = await projectWith(['a', 'b', 'c', 'd']);
    await score('a', 0.4);
    await score('b', 0.6);
    await score('c', 'high');
    const output = 'feedback.[wandb.runnable.s].payload.output';
    expect(await find(is('$gt', output, 0.5))).toEqual(['b']);
    expect(await find(is('$lte', output, 1))).toEqual(['a', 'b']);
    expect(await find({ $not: [is('$gt', output, 0.5)] })).toEqual(['a']);
    expect(await find(is('$eq', output, 'high'))).toEqual(['c']);
    expect(await find(is('$eq', output, ''))).toEqual(['d']);
    expect(await find({ $not: [is('$eq', output, 'high')] })).toEqual(['a', 'b', 'd']);
    expect(
      await find(is('$gt', output, 0.5), { sort_by: [{ field: 'started_at', direction: 'desc' }], limit: 1 }),
    ).toEqual(['b']);
    expect(await find(is('$gt', output, 0), { filter: { call_ids: [idOf('a'), idOf('c')] } })).toEqual(['a']);
    expect(await count(is('$gt', output, 0), { filter: { call_ids: [idOf('a'), idOf('c')] } })).toBe(1);
    expect(await count({ $not: [is('$gt', output, 0.5)] }, { include_total_storage_size: true })).toBe(1);
    expect(await find(is('$eq', 'feedback.[wandb.runnable.s].runnable_ref', `weave:///${project}/object/s:d`))).toEqual(
      ['a', 'b', 'c'],
    );
    const bad = await queryCalls(server, project, { query: { $expr: is('$eq', 'feedback.bad', 1) } });
    expect(bad.status).toBe(422);
  });

  test('compares the latest of several scores', async () => {
    const { score, find, comment } = await projectWith(['a', 'b']);
    await score('a', 1);
    await score('a', 2);
    await score('b', 1);
    const output = 'feedback.[wandb.runnable.s].payload.output';
    expect(await find(is('$eq', output, 1))).toEqual(['b']);
    expect(await find({ $and: [is('$eq', output, 2), is('$gt', output, 1)] })).toEqual(['a']);
    await comment('b', 'custom', { v: 'words' });
    expect(await find(is('$eq', 'feedback.[*].payload.v', 'words'))).toEqual(['b']);
    expect(await find(is('$eq', 'feedback.[*].payload.output', 2))).toEqual([]);
  });

  test('compares two feedback fields', async () => {
    const { score, find } = await projectWith(['a', 'b', 'c']);
    await score('a', 1, 's');
    await score('a', 1, 'other');
    await score('b', 1, 's');
    const output = (scorer: string) => field(`feedback.[wandb.runnable.${scorer}].payload.output`);
    expect(await find({ $eq: [output('s'), output('other')] })).toEqual(['a', 'c']);
    expect(await find({ $gt: [output('s'), output('other')] })).toEqual(['b']);
  });

  test('ignores feedback on other targets and in other projects', async () => {
    const { project, find, idOf } = await projectWith(['a']);
    const other = await server.newProject();
    const note = { feedback_type: 'wandb.note.1', payload: { note: 'x' } };
    await addFeedback(server, other, { ...note, weave_ref: callRef(project, idOf('a')) });
    await addFeedback(server, project, { ...note, weave_ref: callRef(other, idOf('a')) });
    await addFeedback(server, project, { ...note, weave_ref: `weave:///${project}/object/${idOf('a')}:d` });
    expect(await find(is('$eq', 'feedback.[wandb.note.1].payload.note', 'x'))).toEqual([]);
  });

  test('sorts calls by feedback: numbers, text, then none; reads an unknown call as null [calls 70]', async () => {
    const { project, score, sort } = await projectWith(['low', 'none', 'high', 'text']);
    await score('low', 0.5);
    await score('high', 10);
    await score('text', 'x');
    const output = 'feedback.[wandb.runnable.s].payload.output';
    expect(await sort('desc', output)).toEqual(['high', 'low', 'text', 'none']);
    expect(await sort('asc', output)).toEqual(['low', 'high', 'text', 'none']);
    expect((await readCall(server, project, 'ffffffff-0000-7000-8000-000000000000')).json).toEqual({ call: null });
  });
});
