import { expect, test } from 'vitest';
import { seeded } from '../../../../../../testing/seeded.ts';
import { repeatedRequests } from '../../../../../domain/usage/repeated-requests.ts';
import { findRows } from '../../find/find-rows.ts';
import { newYear } from '../../testing/call-store.ts';
import type { CallWrite } from '../call-write.ts';
import { toUsageCall } from '../to-usage-call.ts';
import { end, newCall, start } from './testing/parts.ts';
import { writersForFile } from './testing/writers-for-file.ts';

const shared = writersForFile();

test('a request that is reported to two processes is counted once', async () => {
  const usage = { 'gpt-4o': { requests: 1, prompt_tokens: 100, completion_tokens: 10 } };
  const report = (name: string): CallWrite => {
    const more = { traceId: 'of-request', mapperVersion: 1, attributes: '{"response_id":"r1"}' };
    const of = {
      start: start(name, newYear, more).start,
      end: { ...end(name).end, summary: JSON.stringify({ usage }) },
    };
    return { ...newCall(), part: { kind: 'complete', ...of } };
  };
  const reports = [report('tracer a'), report('tracer b')];
  shared.timing.pauseMsMax = 50;
  await Promise.all(reports.map((each, i) => shared.writers[i]!.write([each])));
  shared.timing.pauseMsMax = 0;
  const rows = await Promise.all(reports.map(shared.stored));
  expect(rows.map(({ isRepeated }) => isRepeated).sort()).toEqual([false, true]);
});

test('requests that are reported twice are marked, whichever processes store the calls of their traces', async () => {
  const seed = Number(process.env.HEDDLE_TEST_SEED ?? Date.now() % 1e6);
  const random = seeded(seed);
  shared.timing.random = random;
  const pick = <Item>(items: Item[]) => items[Math.floor(random() * items.length)]!;
  const traces = Array.from({ length: 40 }, (_, i) => ({ traceId: `two reports ${i}`, calls: [newCall()] }));
  const report = (traceId: string, call: { id: string }, parentId: string, index: number): CallWrite => {
    const counts = pick([null, 10, 20]);
    const usage = counts && { m: { prompt_tokens: counts, completion_tokens: 1, tracer: pick(['a', 'b']) } };
    const attributes = pick(['{}', '{}', '{"response_id":"r1"}']);
    const of = { traceId, parentId, attributes, mapperVersion: pick([0, 1, 1]) };
    const fields = {
      start: start(pick(['x', 'y']), newYear + index, of).start,
      end: { ...end('x').end, summary: JSON.stringify({ usage }) },
    };
    return { projectId: 'p', id: call.id, part: { kind: 'complete', ...fields } };
  };
  const waiting = traces.flatMap(({ traceId, calls }) => {
    const count = 2 + Math.floor(random() * 4);
    return Array.from({ length: count }, (_, i) => {
      const call = i === 0 ? calls[0]! : newCall();
      const write = report(traceId, call, i === 0 ? '' : pick(calls).id, i);
      calls.push(call);
      return write;
    });
  });
  shared.timing.pauseMsMax = 50;
  for (const { calls } of traces) if (random() < 0.2) waiting.push({ ...pick(calls), part: { kind: 'delete' } });
  await Promise.all(
    shared.writers.map(async (writer) => {
      while (waiting.length > 0) {
        const from = Math.floor(random() * waiting.length);
        await writer.write(waiting.splice(from, 1 + Math.floor(random() * 6)));
      }
    }),
  );
  shared.timing.pauseMsMax = 0;
  let marked = 0;
  for (const { traceId, calls } of traces) {
    const rows = (await findRows(shared.clickhouse, 'p', [...new Set(calls.map(({ id }) => id))])).filter(
      ({ isDeleted }) => !isDeleted,
    );
    const newestFirst = rows.toSorted((a, b) => b.startedAt - a.startedAt).map(toUsageCall);
    const expected = [...repeatedRequests(newestFirst)].sort();
    const found = rows.filter(({ isRepeated }) => isRepeated).map(({ id }) => id);
    expect(found.sort(), `${traceId}, seed ${seed}`).toEqual(expected);
    marked += expected.length;
  }
  expect(marked).toBeGreaterThan(0);
});

test('a trace whose root another process stores has no topmost call in the end', async () => {
  const traceId = 'root elsewhere';
  const [root, child] = [newCall(), newCall()];
  const part = (parentId: string) => start('a', newYear, { traceId, parentId });
  await shared.writers[0]!.write([{ ...child, part: part(root.id) }]);
  await expect.poll(async () => (await shared.stored(child)).isTopmost, { timeout: 20_000 }).toBe(true);
  await shared.writers[1]!.write([{ ...root, part: part('') }]);
  await expect.poll(async () => (await shared.stored(child)).isTopmost, { timeout: 20_000 }).toBe(false);
  expect((await shared.stored(root)).isTopmost).toBe(false);
});

test('traces that are stored with their root cost one lookup for all of them', async () => {
  const queries: string[] = [];
  const writer = await shared.openWriter({
    ...shared.clickhouse,
    query(sql, ...more) {
      queries.push(sql);
      return shared.clickhouse.query(sql, ...more);
    },
  });
  const roots = Array.from({ length: 200 }, newCall);
  await writer.write(roots.map((call) => ({ ...call, part: start('a', newYear, { traceId: call.id }) })));
  await writer.drain();
  expect(queries.filter((sql) => sql.includes('FROM calls'))).toHaveLength(1);
});
