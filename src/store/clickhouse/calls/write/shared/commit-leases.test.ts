import { expect, test, vi } from 'vitest';
import { foldLines } from '../../../../../domain/calls/fold-lines.ts';
import type { ClickHouse } from '../../../clickhouse.ts';
import { openCallWriter } from '../call-writer.ts';
import { findParts } from './part-lines.ts';
import { complete, end, newCall, rename, start } from './testing/parts.ts';
import { writersForFile } from './testing/writers-for-file.ts';

const shared = writersForFile();

/** Does something once, after an insert into a table is visible and before its writer goes on. */
function interrupted(after: string, work: () => Promise<void>): ClickHouse {
  let isDone = false;
  return {
    ...shared.clickhouse,
    async insert(table, lines) {
      await shared.clickhouse.insert(table, lines);
      if (table !== after || isDone) return;
      isDone = true;
      await work();
    },
  };
}

test.each(['call_parts', 'calls'])(
  'a process whose lease ends after its insert into %s takes its part back, and writes it again before it answers',
  async (table) => {
    const peers = await shared.openPeers(1000);
    const writer = openCallWriter(
      interrupted(table, () => shared.lapse(peers)),
      peers,
    );
    const call = newCall();
    expect(await writer.write([{ ...call, part: complete('a') }])).toEqual(['stored']);
    const lines = (await findParts(shared.clickhouse, 'p', [call.id])).get(call.id)!.map(({ line }) => line);
    expect(lines.map(({ kind }) => kind)).toEqual(['complete', 'withdrawn', 'complete']);
    expect(lines[1]!.value).toBe(String(lines[0]!.number));
    expect(foldLines(lines).start!.number).toBe(lines[2]!.number);
    expect(await shared.stored(call)).toMatchObject({
      inputs: '{"of":"a"}',
      output: '"a"',
      startNumber: lines[2]!.number,
    });
    expect((await shared.liveRows()).get(call.id)).toBe(1);
    await shared.writers[0]!.write([{ ...call, part: rename('b'), needsStart: true }]);
    expect(await shared.stored(call)).toMatchObject({ displayName: 'b', inputs: '{"of":"a"}', output: '"a"' });
  },
  60_000,
);

test('a block of numbers is not held any more once the lease has ended, also when there is a new one', async () => {
  const peers = await shared.openPeers(1000);
  const block = await peers.numbers.take();
  expect(block.isHeld()).toBe(true);
  await shared.lapse(peers);
  expect(block.isHeld()).toBe(false);
  block.release();
  const next = await peers.numbers.take();
  expect(next.isHeld()).toBe(true);
  next.release();
}, 60_000);

// The last one: it ends connections of the others.
test('a write fails while PostgreSQL is away, loses nothing that was acknowledged, and works afterwards', async (context) => {
  if (shared.server.crash === null) return context.skip();
  const writer = await shared.openWriter(shared.clickhouse);
  const [first, second] = [newCall(), newCall()];
  await writer.write([{ ...first, part: start('a') }]);
  await shared.server.crash();
  const refused = await writer
    .writeEach([
      { ...first, part: end('a') },
      { ...second, part: start('b') },
    ])
    .catch((error) => [error, error]);
  for (const outcome of refused) expect(outcome).toMatchObject({ kind: 'unavailable' });
  expect(await shared.stored(first)).toMatchObject({ inputs: '{"of":"a"}', endedAt: null });
  await shared.server.start();
  const written = [
    { ...first, part: end('a') },
    { ...second, part: start('b') },
  ];
  await vi.waitFor(async () => expect(await writer.write(written)).toEqual(['stored', 'stored']), { timeout: 60_000 });
  expect(await shared.stored(first)).toMatchObject({ inputs: '{"of":"a"}', output: '"a"' });
  expect(await shared.stored(second)).toMatchObject({ inputs: '{"of":"b"}' });
}, 120_000);
