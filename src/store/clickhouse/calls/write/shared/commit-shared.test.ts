import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { seeded } from '../../../../../../testing/seeded.ts';
import { foldedRow, foldLines, versionOf } from '../../../../../domain/calls/fold-lines.ts';
import type { CallPart } from '../../../../../domain/calls/part.ts';
import { contentOfPart } from '../../../../../domain/calls/part-line.ts';
import { Failure } from '../../../../../util/failures.ts';
import { openAlone } from '../../../../peers/alone.ts';
import { exceedNumber } from '../../../../postgres/peers/numbers.ts';
import type { ClickHouse } from '../../../clickhouse.ts';
import { newYear } from '../../testing/call-store.ts';
import type { CallWrite, WriteOutcome } from '../call-write.ts';
import { openCallWriter } from '../call-writer.ts';
import { findParts } from './part-lines.ts';
import { forgetPartsOfCalls, highestNumber, preparePartsOfCalls } from './prepare-parts.ts';
import { complete, end, newCall, rename, start } from './testing/parts.ts';
import { writersForFile } from './testing/writers-for-file.ts';

const shared = writersForFile();

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

/** Lets a writer wait before an insert into a table until `goOn` is called. */
function delayed(clickhouse: ClickHouse, before: string) {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const store: ClickHouse = {
    ...clickhouse,
    async insert(table, lines) {
      if (table === before) {
        reached.resolve();
        await released.promise;
      }
      await clickhouse.insert(table, lines);
    },
  };
  return { store, waits: reached.promise, goOn: released.resolve };
}

async function share(): Promise<void> {
  await exceedNumber(shared.postgres, await highestNumber(shared.clickhouse));
  await preparePartsOfCalls(shared.clickhouse);
}

function nameOf(part: CallPart): string {
  if ('start' in part) return part.start.opName;
  return 'end' in part ? JSON.parse(part.end.output) : '';
}

// The first one: its numbers are the first that anybody takes.
test('a start that becomes visible after the end of another process was stored alone hides the row of the end', async () => {
  const call = newCall();
  const { store, waits, goOn } = delayed(shared.clickhouse, 'call_parts');
  const writer = await shared.openWriter(store);
  const written = writer.write([{ ...call, part: start('a') }]);
  await waits;
  await shared.writers[0]!.write([{ ...call, part: end('b') }]);
  expect(await shared.stored(call)).toMatchObject({ output: '"b"', isStarted: false });
  goOn();
  await written;
  expect(await shared.stored(call)).toMatchObject({ opName: 'a', output: '"b"', isStarted: true });
  expect((await shared.liveRows()).get(call.id)).toBe(1);
});

test('a start at one process and the end at another make one call', async () => {
  const call = newCall();
  await Promise.all([
    shared.writers[0]!.write([{ ...call, part: start('a') }]),
    shared.writers[1]!.write([{ ...call, part: end('b') }]),
  ]);
  expect(await shared.stored(call)).toMatchObject({ opName: 'a', output: '"b"', status: 'success', isStarted: true });
  expect((await shared.liveRows()).get(call.id)).toBe(1);
});

test('a large start and a large end at two processes make one call', async () => {
  const call = newCall();
  const large = (name: string) => `${name} "ü\u{1f600}" `.repeat(200_000);
  const begun = start('a', newYear, { inputs: JSON.stringify({ text: large('in'), lone: '\ud800' }) });
  const ended = end('b');
  ended.end.output = JSON.stringify(large('out'));
  await Promise.all([
    shared.writers[0]!.write([{ ...call, part: begun }]),
    shared.writers[1]!.write([{ ...call, part: ended }]),
  ]);
  await shared.writers[2]!.write([{ ...call, part: rename('c'), needsStart: true }]);
  expect(await shared.stored(call)).toMatchObject({
    inputs: begun.start.inputs,
    output: ended.end.output,
    displayName: 'c',
  });
}, 240_000);

test('a rename at one process keeps the payloads of a call that another has written whole', async () => {
  const call = newCall();
  await shared.writers[0]!.write([{ ...call, part: complete('a') }]);
  expect(await shared.writers[1]!.write([{ ...call, part: rename('b'), needsStart: true }])).toEqual(['stored']);
  expect(await shared.stored(call)).toMatchObject({ displayName: 'b', inputs: '{"of":"a"}', output: '"a"' });
});

test('a part that needs a start is refused before there is one at any process', async () => {
  const call = newCall();
  expect(await shared.writers[0]!.write([{ ...call, part: rename('b'), needsStart: true }])).toEqual(['unstarted']);
  await shared.writers[1]!.write([{ ...call, part: start('a') }]);
  expect(await shared.writers[0]!.write([{ ...call, part: rename('b'), needsStart: true }])).toEqual(['stored']);
});

test('a part that no row can hold fails alone, and later parts of the call do not', async () => {
  const spoiling: ClickHouse = {
    ...shared.clickhouse,
    async insert(table, lines) {
      const rows = lines.toString().trimEnd().split('\n');
      const spoilt = rows.map((row) => (row.includes('"spoilt"') ? row.replace(/:(?:null|0)\b/, ':1e30') : row));
      await shared.clickhouse.insert(table, table === 'calls' ? Buffer.from(`${spoilt.join('\n')}\n`) : lines);
    },
  };
  const writer = await shared.openWriter(spoiling);
  const [call, other] = [newCall(), newCall()];
  const outcomes = await writer.writeEach([
    { ...call, part: rename('first') },
    { ...call, part: start('spoilt') },
    { ...other, part: start('other') },
  ]);
  expect(outcomes).toEqual(['stored', expect.any(Failure), 'stored']);
  await writer.write([{ ...call, part: start('later') }]);
  expect(await shared.stored(call)).toMatchObject({ opName: 'later', displayName: 'first' });
  expect((await shared.liveRows()).get(call.id)).toBe(1);
});

test('a call stays deleted when another process receives its start later', async () => {
  const call = newCall();
  await shared.writers[0]!.write([{ ...call, part: { kind: 'delete' } }]);
  await shared.writers[1]!.write([{ ...call, part: start('a') }]);
  expect((await shared.stored(call)).isDeleted).toBe(true);
  expect((await shared.liveRows()).get(call.id)).toBeUndefined();
});

test('a process that ends between its parts and its row loses nothing that others have acknowledged', async () => {
  const call = newCall();
  const peers = await shared.openPeers();
  const { store: dying, hangs } = hanging(shared.clickhouse, 'calls');
  const writer = openCallWriter(dying, peers);
  void writer.write([{ ...call, part: complete('lost') }]);
  await hangs;
  const renamed = shared.writers[0]!.write([{ ...call, part: rename('b') }]); // waits for the payloads
  await setTimeout(300);
  await peers.close();
  await renamed;
  expect(await shared.stored(call)).toMatchObject({ displayName: 'b', isStarted: false });
  await shared.writers[1]!.write([{ ...call, part: start('a') }]);
  await shared.writers[2]!.write([{ ...call, part: end('a') }]);
  expect(await shared.stored(call)).toMatchObject({ displayName: 'b', opName: 'a', output: '"a"', isStarted: true });
  expect((await shared.liveRows()).get(call.id)).toBe(1);
});

test('parts in any order at any process, with any timing, make what they make one after another', async () => {
  const seed = Number(process.env.HEDDLE_TEST_SEED ?? Date.now() % 1e6);
  const random = seeded(seed);
  shared.timing.random = random;
  shared.timing.pauseMsMax = 200;
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
    shared.writers.flatMap((writer) =>
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
  shared.timing.pauseMsMax = 0;
  const live = await shared.liveRows();
  for (const [id, of] of Map.groupBy(written, ({ call }) => call.id)) {
    const parts = (await findParts(shared.clickhouse, 'p', [id])).get(id) ?? [];
    const kept = of.filter(({ outcome }) => outcome !== 'unstarted');
    expect(parts.length, `${id}, seed ${seed}`).toBe(kept.length);
    if (kept.length === 0) continue;
    const lines = parts.map(({ line }) => line);
    const byName = new Map(kept.map(({ write }) => [nameOf(write.part), contentOfPart(write.part)]));
    const contents = new Map(parts.map(({ line, content }) => [line.number, content ?? byName.get(line.value) ?? {}]));
    const folded = foldLines(lines);
    const row = await shared.stored({ projectId: 'p', id });
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
  const lone = openCallWriter(shared.clickhouse, openAlone());
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
  await shared.writers[0]!.write([
    { ...whole!, part: rename('later') },
    { ...open!, part: end('later') },
    { ...ended!, part: start('later') },
    { ...moved!, part: rename('later') },
    { ...deleted!, part: start('later') },
    { ...renamed!, part: complete('later') },
  ]);
  expect(await shared.stored(whole!)).toMatchObject({ displayName: 'later', opName: 'whole', output: '"whole"' });
  expect(await shared.stored(open!)).toMatchObject({ opName: 'open', output: '"later"' });
  expect(await shared.stored(ended!)).toMatchObject({ opName: 'later', output: '"ended"' });
  expect(await shared.stored(moved!)).toMatchObject({ displayName: 'later', opName: 'moved', output: '"moved"' });
  expect((await shared.stored(deleted!)).isDeleted).toBe(true);
  expect(await shared.stored(renamed!)).toMatchObject({ displayName: 'renamed', opName: 'later' });
  const live = await shared.liveRows();
  expect([whole, open, ended, moved, deleted, renamed].map((call) => live.get(call!.id) ?? 0)).toEqual([
    1, 1, 1, 1, 0, 1,
  ]);

  await forgetPartsOfCalls(shared.clickhouse);
  expect(await shared.clickhouse.query('SELECT 1 FROM call_parts')).toEqual([]);
  await share();
  await shared.writers[1]!.write([{ ...open!, part: rename('again') }]);
  expect(await shared.stored(open!)).toMatchObject({ displayName: 'again', opName: 'open', output: '"later"' });
});
