import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { CallRow } from '../../../../../domain/calls/call-row.ts';
import { foldedRow, foldLines, versionOf } from '../../../../../domain/calls/fold-lines.ts';
import type { CallPart } from '../../../../../domain/calls/part.ts';
import { contentOfPart } from '../../../../../domain/calls/part-line.ts';
import { repeatedRequests } from '../../../../../domain/usage/repeated-requests.ts';
import { Failure } from '../../../../../util/failures.ts';
import { openAlone } from '../../../../peers/alone.ts';
import type { Peers } from '../../../../peers/peers.ts';
import { migratePostgres } from '../../../../postgres/migrate.ts';
import { exceedNumber } from '../../../../postgres/peers/numbers.ts';
import { openServerPeers } from '../../../../postgres/peers/server-peers.ts';
import type { Postgres } from '../../../../postgres/postgres.ts';
import { connectionOptions } from '../../../../postgres/server/connection-options.ts';
import { serverPostgres } from '../../../../postgres/server/open.ts';
import { parseServerUrl } from '../../../../postgres/server/server-url.ts';
import { startTestServer, type TestServer } from '../../../../postgres/testing/postgres-server.ts';
import type { ClickHouse } from '../../../clickhouse.ts';
import { findRows } from '../../find/find-rows.ts';
import { newYear, openCallStore } from '../../testing/call-store.ts';
import type { CallWrite, WriteOutcome } from '../call-write.ts';
import { type CallWriter, openCallWriter } from '../call-writer.ts';
import { toUsageCall } from '../to-usage-call.ts';
import { findParts } from './part-lines.ts';
import { forgetPartsOfCalls, highestNumber, preparePartsOfCalls } from './prepare-parts.ts';

let store: { clickhouse: ClickHouse; close(): Promise<void> };
let server: TestServer;
let postgres: Postgres;
let url: string;
const opened: Peers[] = [];
let writers: CallWriter[];
let random = () => 0;
let pauseMsMax = 0;

beforeAll(async () => {
  store = await openCallStore();
  server = await startTestServer();
  url = `${await server.createDatabase()}?schema=other`;
  const address = parseServerUrl(url);
  postgres = (await serverPostgres({ address, direct: address, connectionsMax: 8, waitMsMax: 0 })).store;
  await migratePostgres(postgres);
  writers = await Promise.all([0, 1, 2].map(() => openWriter(pausing(store.clickhouse))));
});
afterAll(async () => {
  for (const writer of writers) await writer.drain();
  for (const peers of opened) await peers.close();
  await postgres.close();
  await server.close();
  await store.close();
});

async function openPeers(leaseMs = 2000): Promise<Peers> {
  const direct = await connectionOptions(parseServerUrl(url));
  const peers = await openServerPeers(postgres, { direct, leaseMs, onError: () => {} });
  opened.push(peers);
  return peers;
}

async function openWriter(clickhouse: ClickHouse): Promise<CallWriter> {
  return openCallWriter(clickhouse, await openPeers());
}

/** The store, with pauses before and after each statement. */
function pausing(clickhouse: ClickHouse): ClickHouse {
  const pause = () => setTimeout(pauseMsMax * random() ** 4);
  return {
    ...clickhouse,
    async query<Row>(...request: Parameters<ClickHouse['query']>) {
      await pause();
      const rows = await clickhouse.query<Row>(...request);
      await pause();
      return rows;
    },
    async insert(...request) {
      await pause();
      await clickhouse.insert(...request);
      await pause();
    },
  };
}

/** Lets a writer hang for ever before an insert into a table. */
function hanging(clickhouse: ClickHouse, before: string) {
  let reached = () => {};
  const hangs = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const store: ClickHouse = {
    ...clickhouse,
    async insert(table, lines) {
      if (table !== before) return clickhouse.insert(table, lines);
      reached();
      await new Promise(() => {});
    },
  };
  return { store, hangs };
}

async function share(): Promise<void> {
  await exceedNumber(postgres, await highestNumber(store.clickhouse));
  await preparePartsOfCalls(store.clickhouse);
}

let calls = 0;
const newCall = () => ({ projectId: 'p', id: `call${String(++calls).padStart(12, '0')}` });

function start(name: string, startedAt = newYear, more = {}): CallPart & { kind: 'start' } {
  const texts = { parentId: '', threadId: '', turnId: '', opName: name, displayName: '', wbUserId: 'u', wbRunId: '' };
  const payloads = { attributes: '{}', inputs: `{"of":"${name}"}`, otelDump: '', inputRefs: [] };
  const fields = { traceId: 't', startedAt, mapperVersion: 0, wbRunStep: null, ...texts, ...payloads, ...more };
  return { kind: 'start', start: fields };
}

function end(name: string, endedAt = newYear + 1e6): CallPart & { kind: 'end' } {
  const fields = { endedAt, exception: '', summary: '{}', outputRefs: [], wbRunStepEnd: null };
  return { kind: 'end', end: { ...fields, output: `"${name}"` } };
}

function complete(name: string, startedAt = newYear): CallPart {
  return { kind: 'complete', start: start(name, startedAt).start, end: end(name).end };
}

const rename = (displayName: string): CallPart => ({ kind: 'rename', displayName });

async function stored({ projectId, id }: { projectId: string; id: string }): Promise<CallRow> {
  return (await findRows(store.clickhouse, projectId, [id]))[0]!;
}

async function liveRows(): Promise<Map<string, number>> {
  const rows = await store.clickhouse.query<{ id: string; count: number }>(
    "SELECT id, count() AS count FROM calls FINAL WHERE project_id = 'p' AND is_deleted = 0 GROUP BY id",
  );
  return new Map(rows.map(({ id, count }) => [id, count]));
}

test('a start at one process and the end at another make one call', async () => {
  const call = newCall();
  await Promise.all([
    writers[0]!.write([{ ...call, part: start('a') }]),
    writers[1]!.write([{ ...call, part: end('b') }]),
  ]);
  expect(await stored(call)).toMatchObject({ opName: 'a', output: '"b"', status: 'success', isStarted: true });
  expect((await liveRows()).get(call.id)).toBe(1);
});

test('a large start and a large end at two processes make one call', async () => {
  const call = newCall();
  const large = (name: string) => `${name} "ü\u{1f600}" `.repeat(200_000);
  const begun = start('a', newYear, { inputs: JSON.stringify({ text: large('in'), lone: '\ud800' }) });
  const ended = end('b');
  ended.end.output = JSON.stringify(large('out'));
  await Promise.all([writers[0]!.write([{ ...call, part: begun }]), writers[1]!.write([{ ...call, part: ended }])]);
  await writers[2]!.write([{ ...call, part: rename('c'), needsStart: true }]);
  expect(await stored(call)).toMatchObject({ inputs: begun.start.inputs, output: ended.end.output, displayName: 'c' });
}, 240_000);

test('a rename at one process keeps the payloads of a call that another has written whole', async () => {
  const call = newCall();
  await writers[0]!.write([{ ...call, part: complete('a') }]);
  expect(await writers[1]!.write([{ ...call, part: rename('b'), needsStart: true }])).toEqual(['stored']);
  expect(await stored(call)).toMatchObject({ displayName: 'b', inputs: '{"of":"a"}', output: '"a"' });
});

test('a part that needs a start is refused before there is one at any process', async () => {
  const call = newCall();
  expect(await writers[0]!.write([{ ...call, part: rename('b'), needsStart: true }])).toEqual(['unstarted']);
  await writers[1]!.write([{ ...call, part: start('a') }]);
  expect(await writers[0]!.write([{ ...call, part: rename('b'), needsStart: true }])).toEqual(['stored']);
});

test('a part that no row can hold fails alone, and later parts of the call do not', async () => {
  const spoiling: ClickHouse = {
    ...store.clickhouse,
    async insert(table, lines) {
      const rows = lines.toString().trimEnd().split('\n');
      const spoilt = rows.map((row) => (row.includes('"spoilt"') ? row.replace(/:(?:null|0)\b/, ':1e30') : row));
      await store.clickhouse.insert(table, table === 'calls' ? Buffer.from(`${spoilt.join('\n')}\n`) : lines);
    },
  };
  const writer = await openWriter(spoiling);
  const [call, other] = [newCall(), newCall()];
  const outcomes = await writer.writeEach([
    { ...call, part: rename('first') },
    { ...call, part: start('spoilt') },
    { ...other, part: start('other') },
  ]);
  expect(outcomes).toEqual(['stored', expect.any(Failure), 'stored']);
  await writer.write([{ ...call, part: start('later') }]);
  expect(await stored(call)).toMatchObject({ opName: 'later', displayName: 'first' });
  expect((await liveRows()).get(call.id)).toBe(1);
});

test('a call stays deleted when another process receives its start later', async () => {
  const call = newCall();
  await writers[0]!.write([{ ...call, part: { kind: 'delete' } }]);
  await writers[1]!.write([{ ...call, part: start('a') }]);
  expect((await stored(call)).isDeleted).toBe(true);
  expect((await liveRows()).get(call.id)).toBeUndefined();
});

test('a process that ends between its parts and its row loses nothing that others have acknowledged', async () => {
  const call = newCall();
  const peers = await openPeers();
  const { store: dying, hangs } = hanging(store.clickhouse, 'calls');
  const writer = openCallWriter(dying, peers);
  void writer.write([{ ...call, part: complete('lost') }]);
  await hangs;
  const renamed = writers[0]!.write([{ ...call, part: rename('b') }]); // waits for the payloads
  await setTimeout(300);
  await peers.close();
  await renamed;
  expect(await stored(call)).toMatchObject({ displayName: 'b', isStarted: false });
  await writers[1]!.write([{ ...call, part: start('a') }]);
  await writers[2]!.write([{ ...call, part: end('a') }]);
  expect(await stored(call)).toMatchObject({ displayName: 'b', opName: 'a', output: '"a"', isStarted: true });
  expect((await liveRows()).get(call.id)).toBe(1);
});

test('parts in any order at any process, with any timing, make what they make one after another', async () => {
  const seed = Number(process.env.HEDDLE_TEST_SEED ?? Date.now() % 1e6);
  random = seeded(seed);
  pauseMsMax = 200;
  const written: { call: { projectId: string; id: string }; write: CallWrite; outcome: WriteOutcome }[] = [];
  const open = Array.from({ length: 60 }, newCall);
  const pick = <Item>(items: Item[]) => items[Math.floor(random() * items.length)]!;
  const times = [newYear, newYear + 5, newYear + 40 * 86_400e6];
  const part = (name: string): CallPart =>
    pick<() => CallPart>([
      () => start(name, pick(times)),
      () => end(name),
      () => complete(name, pick(times)),
      () => rename(name),
      () => (random() < 0.2 ? { kind: 'delete' } : end(name)),
      () => ({ kind: 'parent', parentId: name }),
    ])();
  let names = 0;
  await Promise.all(
    writers.flatMap((writer) =>
      Array.from({ length: 4 }, async () => {
        for (let round = 0; round < 12; round++) {
          const writes = Array.from({ length: 1 + Math.floor(random() * 4) }, () => {
            const write = { ...pick(open), part: part(`n${++names}`) };
            return random() < 0.1 ? { ...write, part: write.part, needsStart: true } : write;
          });
          const outcomes = await writer.write(writes);
          for (const [i, write] of writes.entries()) written.push({ call: write, write, outcome: outcomes[i]! });
        }
      }),
    ),
  );
  pauseMsMax = 0;
  const live = await liveRows();
  for (const [id, of] of Map.groupBy(written, ({ call }) => call.id)) {
    const parts = (await findParts(store.clickhouse, 'p', [id])).get(id) ?? [];
    const kept = of.filter(({ outcome }) => outcome !== 'unstarted');
    expect(parts.length, `${id}, seed ${seed}`).toBe(kept.length);
    if (kept.length === 0) continue;
    const lines = parts.map(({ line }) => line);
    const byName = new Map(kept.map(({ write }) => [nameOf(write.part), contentOfPart(write.part)]));
    const contents = new Map(parts.map(({ line, content }) => [line.number, content ?? byName.get(line.value) ?? {}]));
    const folded = foldLines(lines);
    const row = await stored({ projectId: 'p', id });
    // The payloads of complete calls are not in the lines: they are found by the number of the row.
    const expected = foldedRow({ projectId: 'p', id }, folded, (number) => {
      const content = contents.get(number)!;
      if (content.start || content.end) return content;
      const name = folded.start?.number === number && row.isStarted ? row.opName : JSON.parse(row.output);
      return byName.get(name)!;
    });
    const { version, startNumber, endNumber, ...rest } = row;
    const { version: _v, startNumber: _s, endNumber: _e, ...wanted } = expected;
    expect(rest, `${id}, seed ${seed}`).toEqual(wanted);
    expect(version, `${id}, seed ${seed}`).toBe(versionOf(lines));
    if (!row.isDeleted) {
      expect([startNumber, endNumber]).toEqual([folded.start?.number ?? 0, folded.end?.number ?? 0]);
    }
    expect(live.get(id) ?? 0, `${id}, seed ${seed}`).toBe(row.isDeleted ? 0 : 1);
  }
});

test('parts of calls that one process wrote alone are merged with theirs', async () => {
  const lone = openCallWriter(store.clickhouse, openAlone());
  const [whole, open, ended, moved, deleted, renamed] = Array.from({ length: 6 }, newCall);
  await lone.write([
    { ...whole!, part: complete('whole') },
    { ...open!, part: start('open') },
    { ...ended!, part: end('ended') },
    { ...moved!, part: end('moved') },
    { ...deleted!, part: complete('deleted') },
    { ...renamed!, part: rename('renamed') },
  ]);
  await lone.write([
    { ...moved!, part: start('moved') },
    { ...deleted!, part: { kind: 'delete' } },
  ]);
  await lone.drain();
  await share();
  await writers[0]!.write([
    { ...whole!, part: rename('later') },
    { ...open!, part: end('later') },
    { ...ended!, part: start('later') },
    { ...moved!, part: rename('later') },
    { ...deleted!, part: start('later') },
    { ...renamed!, part: complete('later') },
  ]);
  expect(await stored(whole!)).toMatchObject({ displayName: 'later', opName: 'whole', output: '"whole"' });
  expect(await stored(open!)).toMatchObject({ opName: 'open', output: '"later"' });
  expect(await stored(ended!)).toMatchObject({ opName: 'later', output: '"ended"' });
  expect(await stored(moved!)).toMatchObject({ displayName: 'later', opName: 'moved', output: '"moved"' });
  expect((await stored(deleted!)).isDeleted).toBe(true);
  expect(await stored(renamed!)).toMatchObject({ displayName: 'renamed', opName: 'later' });
  const live = await liveRows();
  expect([whole, open, ended, moved, deleted, renamed].map((call) => live.get(call!.id) ?? 0)).toEqual([
    1, 1, 1, 1, 0, 1,
  ]);

  await forgetPartsOfCalls(store.clickhouse);
  expect(await store.clickhouse.query('SELECT 1 FROM call_parts')).toEqual([]);
  await share();
  await writers[1]!.write([{ ...open!, part: rename('again') }]);
  expect(await stored(open!)).toMatchObject({ displayName: 'again', opName: 'open', output: '"later"' });
});

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
  pauseMsMax = 50;
  await Promise.all(reports.map((each, i) => writers[i]!.write([each])));
  pauseMsMax = 0;
  const rows = await Promise.all(reports.map(stored));
  expect(rows.map(({ isRepeated }) => isRepeated).sort()).toEqual([false, true]);
});

test('requests that are reported twice are marked, whichever processes store the calls of their traces', async () => {
  const seed = Number(process.env.HEDDLE_TEST_SEED ?? Date.now() % 1e6);
  random = seeded(seed);
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
  pauseMsMax = 50;
  for (const { calls } of traces) if (random() < 0.2) waiting.push({ ...pick(calls), part: { kind: 'delete' } });
  await Promise.all(
    writers.map(async (writer) => {
      while (waiting.length > 0) {
        const from = Math.floor(random() * waiting.length);
        await writer.write(waiting.splice(from, 1 + Math.floor(random() * 6)));
      }
    }),
  );
  pauseMsMax = 0;
  let marked = 0;
  for (const { traceId, calls } of traces) {
    const rows = (await findRows(store.clickhouse, 'p', [...new Set(calls.map(({ id }) => id))])).filter(
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
  await writers[0]!.write([{ ...child, part: part(root.id) }]);
  await expect.poll(async () => (await stored(child)).isTopmost, { timeout: 20_000 }).toBe(true);
  await writers[1]!.write([{ ...root, part: part('') }]);
  await expect.poll(async () => (await stored(child)).isTopmost, { timeout: 20_000 }).toBe(false);
  expect((await stored(root)).isTopmost).toBe(false);
});

test('traces that are stored with their root cost one lookup for all of them', async () => {
  const queries: string[] = [];
  const writer = await openWriter({
    ...store.clickhouse,
    query(sql, ...more) {
      queries.push(sql);
      return store.clickhouse.query(sql, ...more);
    },
  });
  const roots = Array.from({ length: 200 }, newCall);
  await writer.write(roots.map((call) => ({ ...call, part: start('a', newYear, { traceId: call.id }) })));
  await writer.drain();
  expect(queries.filter((sql) => sql.includes('FROM calls'))).toHaveLength(1);
});

function nameOf(part: CallPart): string {
  if ('start' in part) return part.start.opName;
  return 'end' in part ? JSON.parse(part.end.output) : '';
}

/** Mulberry32. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Does something once, after an insert into a table is visible and before its writer goes on. */
function interrupted(after: string, work: () => Promise<void>): ClickHouse {
  let isDone = false;
  return {
    ...store.clickhouse,
    async insert(table, lines) {
      await store.clickhouse.insert(table, lines);
      if (table !== after || isDone) return;
      isDone = true;
      await work();
    },
  };
}

/** Lets the lease of a process end, and comes back when it has a new one. */
async function lapse(peers: Peers): Promise<void> {
  const executed = (statement: string) => postgres.executeSql(statement);
  await executed('ALTER TABLE other.processes RENAME TO away');
  await expect.poll(() => peers.isUpToDate(), { timeout: 20_000 }).toBe(false);
  await executed('ALTER TABLE other.away RENAME TO processes');
  await expect.poll(() => peers.isUpToDate(), { timeout: 20_000 }).toBe(true);
}

test.each(['call_parts', 'calls'])(
  'a process whose lease ends after its insert into %s takes its part back, and writes it again before it answers',
  async (table) => {
    const peers = await openPeers(1000);
    const writer = openCallWriter(
      interrupted(table, () => lapse(peers)),
      peers,
    );
    const call = newCall();
    expect(await writer.write([{ ...call, part: complete('a') }])).toEqual(['stored']);
    const lines = (await findParts(store.clickhouse, 'p', [call.id])).get(call.id)!.map(({ line }) => line);
    expect(lines.map(({ kind }) => kind)).toEqual(['complete', 'withdrawn', 'complete']);
    expect(lines[1]!.value).toBe(String(lines[0]!.number));
    expect(foldLines(lines).start!.number).toBe(lines[2]!.number);
    expect(await stored(call)).toMatchObject({ inputs: '{"of":"a"}', output: '"a"', startNumber: lines[2]!.number });
    expect((await liveRows()).get(call.id)).toBe(1);
    await writers[0]!.write([{ ...call, part: rename('b'), needsStart: true }]);
    expect(await stored(call)).toMatchObject({ displayName: 'b', inputs: '{"of":"a"}', output: '"a"' });
  },
  60_000,
);

test('a block of numbers is not held any more once the lease has ended, also when there is a new one', async () => {
  const peers = await openPeers(1000);
  const block = await peers.numbers.take();
  expect(block.isHeld()).toBe(true);
  await lapse(peers);
  expect(block.isHeld()).toBe(false);
  block.release();
  const next = await peers.numbers.take();
  expect(next.isHeld()).toBe(true);
  next.release();
}, 60_000);

// The last one: it ends connections of the others.
test('a write fails while PostgreSQL is away, loses nothing that was acknowledged, and works afterwards', async (context) => {
  if (server.crash === null) return context.skip();
  const writer = await openWriter(store.clickhouse);
  const [first, second] = [newCall(), newCall()];
  await writer.write([{ ...first, part: start('a') }]);
  await server.crash();
  const refused = await writer
    .writeEach([
      { ...first, part: end('a') },
      { ...second, part: start('b') },
    ])
    .catch((error) => [error, error]);
  for (const outcome of refused) expect(outcome).toMatchObject({ kind: 'unavailable' });
  expect(await stored(first)).toMatchObject({ inputs: '{"of":"a"}', endedAt: null });
  await server.start();
  const written = [
    { ...first, part: end('a') },
    { ...second, part: start('b') },
  ];
  await vi.waitFor(async () => expect(await writer.write(written)).toEqual(['stored', 'stored']), { timeout: 60_000 });
  expect(await stored(first)).toMatchObject({ inputs: '{"of":"a"}', output: '"a"' });
  expect(await stored(second)).toMatchObject({ inputs: '{"of":"b"}' });
}, 120_000);
