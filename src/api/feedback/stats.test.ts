import { describe, expect, test } from 'vitest';
import { addFeedback, callRef } from '../testing/feedback.ts';
import { type TestAnswer, testServer } from '../testing/server.ts';

const server = await testServer();

const hourMs = 3_600_000;
const iso = (ms: number) => new Date(ms).toISOString();
/** The last two hours and no more, with what is written now in them: longer ranges have larger buckets. */
const around = () => {
  const end = Date.now() + 60_000;
  return { start: iso(end - 2 * hourMs), end: iso(end) };
};

const stats = (project: string, more: object) =>
  server.post('/feedback/stats', { project_id: project, ...around(), ...more });

type Bucket = Record<string, number | null> & { count: number };

/** The statistics of feedback that falls into one bucket. If a bucket ends while the feedback is added, it is added again. */
async function statsWithinBucket(payloads: object[], query: object): Promise<TestAnswer['json']> {
  for (;;) {
    const project = await server.newProject();
    for (const payload of payloads) await addFeedback(server, project, { payload });
    const { json } = await stats(project, query);
    if (json.buckets.filter(({ count }: Bucket) => count > 0).length === 1) return json;
  }
}

describe('stats', () => {
  test('returns no buckets without metrics [objects 170]', async () => {
    const { json } = await stats(await server.newProject(), {});
    expect(json).toMatchObject({ granularity: 3600, buckets: [], window_stats: null, timezone: 'UTC' });
  });

  test('aggregates numbers by bucket, empty buckets included [objects 171]', async () => {
    const payloads = [1, 2, 6, '7', null].map((s) => ({ out: { 'my score': s } }));
    const json = await statsWithinBucket(payloads, { metrics: [{ json_path: 'out.my score' }] });
    expect(json.granularity).toBe(300);
    expect(json.buckets.length).toBeGreaterThanOrEqual(24);
    const empty = { avg_out_my_score: 0, min_out_my_score: null, max_out_my_score: null, count: 0 };
    expect(json.buckets[0]).toEqual({ timestamp: expect.stringMatching(/:\d[05]:00Z$/), ...empty });
    const full = json.buckets.filter(({ count }: Bucket) => count > 0);
    expect(full.reduce((sum: number, { count }: Bucket) => sum + count, 0)).toBe(5);
    expect(json.window_stats).toEqual({ out_my_score: { avg: 3, min: 1, max: 6 } });
  });

  test('a window without values of a metric is null for every aggregate', async () => {
    const project = await server.newProject();
    const all = ['sum', 'avg', 'min', 'max', 'count', 'count_true', 'count_false'];
    const metrics = ['numeric', 'boolean', 'categorical'].map((value_type) => ({
      ...{ json_path: value_type, value_type, aggregations: all, percentiles: [50] },
    }));
    const nothing = Object.fromEntries([...all, 'p50'].map((name) => [name, null]));
    const windows = async () => (await stats(project, { metrics })).json.window_stats;
    expect(await windows()).toEqual({ numeric: nothing, boolean: nothing, categorical: nothing });
    await addFeedback(server, project, { payload: { boolean: false, numeric: 'no number' } });
    const { numeric, boolean, categorical } = await windows();
    expect(numeric).toEqual(nothing);
    expect(boolean).toMatchObject({ count: 1, count_true: 0, count_false: 1, sum: 0 });
    expect(categorical).toMatchObject({ count: 1 }); // each row has a text, if only an empty one
  });

  test('interpolates percentiles [objects 172]', async () => {
    const payloads = [1, 2, 3, 4].map((s) => ({ s }));
    const json = await statsWithinBucket(payloads, {
      metrics: [{ json_path: 's', aggregations: ['sum'], percentiles: [50, 99.5] }],
    });
    const project = await server.newProject();
    expect(json.window_stats.s).toEqual({ sum: 10, p50: 2.5, 'p99.5': expect.closeTo(3.985, 6) });
    expect(json.buckets[0]).toMatchObject({ sum_s: 0, p50_s: null, 'p99.5_s': null });
    expect((await stats(project, { metrics: [{ json_path: 's', percentiles: [101] }] })).status).toBe(400);
  });

  test.each(['out[0]', 'a-b', ''])('rejects the path %j [objects 173]', async (json_path) => {
    expect((await stats(await server.newProject(), { metrics: [{ json_path }] })).status).toBe(400);
  });

  test('rejects a range over 31 days and an end before the start [objects 174]', async () => {
    const project = await server.newProject();
    const spans = [
      { start: '2024-01-01', end: '2024-02-02' },
      { start: '2024-01-02', end: '2024-01-01' },
    ];
    for (const span of spans) {
      const { status, json } = await stats(project, span);
      expect(status).toBe(422);
      expect(json.detail).toMatchObject([{ type: 'value_error', loc: ['body', 'end'] }]);
    }
    expect((await stats(project, { start: '2024-01-01', end: '2024-02-01' })).status).toBe(200);
  });

  test('counts booleans and strings', async () => {
    const project = await server.newProject();
    for (const v of [true, true, false, 'true', 1]) await addFeedback(server, project, { payload: { v } });
    const metrics = [{ json_path: 'v', value_type: 'boolean' }];
    expect((await stats(project, { metrics })).json.window_stats.v).toEqual({ count_true: 2, count_false: 1 });
    const words = [{ json_path: 'v', value_type: 'categorical' }];
    expect((await stats(project, { metrics: words })).json.window_stats.v).toEqual({ count: 5 });
  });

  test('counts only feedback of the given type and trigger', async () => {
    const project = await server.newProject();
    const refs = { runnable_ref: `weave:///${project}/object/f:d`, feedback_type: 'wandb.runnable.f' };
    for (const version of ['v1', 'v2']) {
      const trigger_ref = `weave:///${project}/object/mon:${version}`;
      await addFeedback(server, project, { ...refs, trigger_ref, payload: { output: 1 } });
    }
    await addFeedback(server, project, { payload: { output: 1 } });
    const count = async (more: object) => {
      const metrics = [{ json_path: 'output', aggregations: ['count'] }];
      return (await stats(project, { metrics, ...more })).json.window_stats.output.count;
    };
    expect(await count({})).toBe(3);
    expect(await count({ feedback_type: 'wandb.runnable.f' })).toBe(2);
    expect(await count({ trigger_ref: `weave:///${project}/object/mon:v1` })).toBe(1);
    expect(await count({ trigger_ref: `weave:///${project}/object/mon:*` })).toBe(2);
    expect(await count({ trigger_ref: `weave:///${project}/object/mo:*` })).toBe(null); // no values
  });

  test('aligns buckets with the time zone and limits their number', async () => {
    const project = await server.newProject();
    const metrics = [{ json_path: 'v' }];
    const span = { start: '2024-01-01T00:10:00Z', end: '2024-01-03T00:00:00Z', granularity: 86400, metrics };
    const { json } = await stats(project, { ...span, timezone: 'Asia/Kolkata' });
    expect(json.buckets.map(({ timestamp }: { timestamp: string }) => timestamp)).toEqual([
      '2023-12-31T18:30:00Z',
      '2024-01-01T18:30:00Z',
      '2024-01-02T18:30:00Z',
    ]);
    const summer = { ...span, start: '2024-03-30T12:00:00Z', end: '2024-04-01T12:00:00Z', timezone: 'Europe/Berlin' };
    expect(
      (await stats(project, summer)).json.buckets.map(({ timestamp }: { timestamp: string }) => timestamp),
    ).toEqual(['2024-03-29T23:00:00Z', '2024-03-30T23:00:00Z', '2024-03-31T22:00:00Z']);
    expect((await stats(project, { ...span, timezone: 'Nowhere/City' })).status).toBe(400);
    const fine = await stats(project, { start: '2024-01-01', end: '2024-01-31', granularity: 1, metrics });
    expect(fine.json.granularity).toBe(260);
    expect((await stats(project, { ...span, granularity: 0 })).status).toBe(422);
    const days = await stats(project, { start: '2024-01-01', end: '2024-01-31', metrics });
    expect([days.json.granularity, days.json.buckets.length]).toEqual([86400, 30]);
  });
});

describe('payload schema', () => {
  const describePayloads = (project: string, more: object = {}) =>
    server.post('/feedback/payload_schema', { project_id: project, ...around(), ...more });

  test('lists paths with their types; a key that is always null is boolean [objects 175]', async () => {
    const project = await server.newProject();
    const payload = { a: null, b: [1, 2], 'd e': 1, 'f.g': 2, h: { i: 's' }, 'k-l': 1 };
    await addFeedback(server, project, { payload });
    expect((await describePayloads(project)).json).toEqual({
      paths: [
        { json_path: 'a', value_type: 'boolean' },
        { json_path: 'b', value_type: 'numeric' },
        { json_path: 'd e', value_type: 'numeric' },
        { json_path: 'h.i', value_type: 'categorical' },
      ],
    });
    expect((await describePayloads(project, { sample_limit: 0 })).status).toBe(422);
    expect((await describePayloads(project, { sample_limit: 5001 })).status).toBe(422);
  });

  test('reads the newest payload of each trigger', async () => {
    const project = await server.newProject();
    const scored = { feedback_type: 'wandb.runnable.f', runnable_ref: `weave:///${project}/object/f:d` };
    const triggered = (version: string) => ({ ...scored, trigger_ref: `weave:///${project}/object/m:${version}` });
    await addFeedback(server, project, { ...triggered('1'), payload: { output: { old: 1 } } });
    await addFeedback(server, project, { ...triggered('1'), payload: { output: { now: 1 } } });
    await addFeedback(server, project, { ...triggered('2'), payload: { output: { other: 'x' } } });
    const { json } = await describePayloads(project);
    const paths = json.paths.map(({ json_path }: { json_path: string }) => json_path);
    expect(paths).toEqual(['output.now', 'output.other']);
  });
});

describe('aggregate', () => {
  const aggregate = (project: string, more: object = {}) =>
    server.post('/feedback/aggregate', {
      ...{ project_id: project, after_ms: Date.now() - hourMs, before_ms: Date.now() + hourMs },
      ...more,
    });

  /** Two scores by f, one by g, triggered by mon, and one tag of a user. */
  async function writeScores(project: string): Promise<void> {
    const scored = (name: string, more: object) =>
      addFeedback(server, project, {
        ...{ feedback_type: `wandb.runnable.${name}`, runnable_ref: `weave:///${project}/object/${name}:d` },
        ...{ payload: { output: 1 }, trigger_ref: `weave:///${project}/object/mon:d`, ...more },
      });
    await scored('f', { scorer_tags: ['good', 'short'], scorer_ratings: { _rating_: 0.5 } });
    await scored('f', { scorer_tags: ['good'], scorer_ratings: { _rating_: 1, other: 0 } });
    await scored('g', {});
    await addFeedback(server, project, {
      ...{ feedback_type: 'wandb.agent_user_feedback', scorer_tags: ['bad'], span_agent_name: 'agent' },
      weave_ref: `weave:///${project}/agent_turn/t`,
    });
    await addFeedback(server, project, { weave_ref: callRef(project, 'c') });
  }

  const nothing = { total_count: 0, scored_count: 0, tag_counts: {}, rating_counts: {}, rating_sums: {} };

  test('returns a total of zeros for no feedback, but no empty time buckets [objects 176]', async () => {
    const project = await server.newProject();
    const { json } = await aggregate(project);
    expect(json.buckets).toEqual([{ time_bucket_start_ms: null, group: {}, ...nothing }]);
    expect((await aggregate(project, { time_bucket_seconds: 3600 })).json.buckets).toEqual([]);
  });

  test('counts tags and sums ratings', async () => {
    const project = await server.newProject();
    await writeScores(project);
    const total = {
      ...{ total_count: 5, scored_count: 3, tag_counts: { good: 2, short: 1, bad: 1 } },
      ...{ rating_counts: { _rating_: 2, other: 1 }, rating_sums: { _rating_: 1.5, other: 0 } },
    };
    expect((await aggregate(project)).json.buckets).toEqual([{ time_bucket_start_ms: null, group: {}, ...total }]);
    const after_ms = Math.floor(Date.now() / 86_400_000) * 86_400_000 - 86_400_000;
    const days = await aggregate(project, { after_ms, time_bucket_seconds: 86_400 });
    const counted = days.json.buckets.map((bucket: { total_count: number }) => bucket.total_count);
    expect(counted.reduce((a: number, b: number) => a + b, 0)).toBe(5);
    expect(days.json.buckets[0].time_bucket_start_ms % 86_400_000).toBe(0);
  });

  test('groups scores by their scorer [objects 177]', async () => {
    const project = await server.newProject();
    await writeScores(project);
    const { json } = await aggregate(project, { group_by: ['scorer_id', 'span_agent_name'] });
    expect(
      json.buckets.map(({ group, total_count }: any) => [group.scorer_id, group.span_agent_name, total_count]),
    ).toEqual([
      ['', '', 1],
      ['', 'agent', 1],
      ['f', '', 2],
      ['g', '', 1],
    ]);
  });

  test('matches monitors by name or by prefix [objects 178]', async () => {
    const project = await server.newProject();
    await writeScores(project);
    const count = async (more: object) => (await aggregate(project, more)).json.buckets[0].total_count;
    expect(await count({ monitor_ids: ['mo'] })).toBe(0);
    expect(await count({ monitor_ids: ['mo*'] })).toBe(3);
    expect(await count({ monitor_ids: ['mon'], scorer_ids: ['f'] })).toBe(2);
    expect(await count({ feedback_types: ['wandb.runnable', 'custom*'] })).toBe(4);
    expect(await count({ tags: ['short', 'bad'] })).toBe(2);
    expect(await count({ rating_min: 0.6 })).toBe(1);
    expect(await count({ rating_max: 1 })).toBe(2);
    expect(await count({ span_types: ['agent_turn'] })).toBe(1);
    expect(await count({ span_agent_names: ['agent'] })).toBe(1);
  });

  test('returns only a plain total over 40 days [objects 179]', async () => {
    const project = await server.newProject();
    const long = { after_ms: Date.now() - 40 * 24 * hourMs };
    expect((await aggregate(project, { ...long, tags: ['x'] })).status).toBe(422);
    expect((await aggregate(project, { ...long, group_by: ['scorer_id'] })).status).toBe(422);
    expect((await aggregate(project, { ...long, time_bucket_seconds: 1e6 })).status).toBe(422);
    expect((await aggregate(project, long)).status).toBe(200);
    expect((await aggregate(project, { time_bucket_seconds: 1 })).status).toBe(422);
    expect((await aggregate(project, { after_ms: 5, before_ms: 5 })).status).toBe(422);
    expect((await aggregate(project, { rating_min: 2 })).status).toBe(422);
  });
});
