import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StartFields } from '../../domain/calls/call-row.ts';
import type { CallPart } from '../../domain/calls/part.ts';
import { makeLog } from '../../log.ts';
import { Failure } from '../../util/failures.ts';
import { openAlone } from '../peers/alone.ts';
import { openBatchedInserter } from './batched-inserter.ts';
import { findRows } from './calls/find/find-rows.ts';
import { newYear, openCallStore } from './calls/testing/call-store.ts';
import { openBackgroundCallWriter } from './calls/write/background-writer.ts';
import type { CallWrite } from './calls/write/call-write.ts';
import { openCallWriter } from './calls/write/call-writer.ts';
import type { ClickHouse } from './clickhouse.ts';
import { insertLine } from './rows/insert-line.ts';
import { InsertRefused, StoreError } from './store-error.ts';

const megabyte = 1024 * 1024;
const marker = 'MARKER-OF-A-BAD-ROW';

let store: { clickhouse: ClickHouse; close(): Promise<void> };
let inserts = 0;
let isFull = false;
/** The real store; a row that holds the marker reaches it with a number that no column takes, past all our checks. */
let faulty: ClickHouse;
beforeAll(async () => {
  store = await openCallStore();
  faulty = {
    ...store.clickhouse,
    async insert(table, lines) {
      inserts++;
      if (isFull) throw new StoreError(`INSERT on ${table}`, 243, 'NOT_ENOUGH_SPACE');
      const rows = lines.toString().trimEnd().split('\n');
      const spoilt = rows.map((row) => (row.includes(marker) ? row.replace(/:(?:null|0)\b/, ':1e30') : row));
      await store.clickhouse.insert(table, Buffer.from(`${spoilt.join('\n')}\n`));
    },
  };
});
afterAll(() => store.close());

let calls = 0;
const newId = () => `call${String(++calls).padStart(12, '0')}`;

function startPart(more: Partial<StartFields> = {}): CallPart {
  const texts = { parentId: '', threadId: '', turnId: '', opName: 'op', displayName: '', wbUserId: 'u', wbRunId: '' };
  const payloads = { attributes: '{}', inputs: '{}', otelDump: '', inputRefs: [] };
  const start = { traceId: 't', startedAt: newYear, mapperVersion: 0, wbRunStep: null, ...texts, ...payloads, ...more };
  return { kind: 'start', start };
}

const startOf = (id: string, more: Partial<StartFields> = {}): CallWrite => ({
  projectId: 'p',
  id,
  part: startPart(more),
});
const bad = (id: string) => startOf(id, { threadId: marker });

const storedIds = async (ids: string[]) => (await findRows(store.clickhouse, 'p', ids)).map(({ id }) => id).sort();

describe('calls', () => {
  test('of writers that share an insert, only the one of the bad row gets an error', async () => {
    const writer = openCallWriter(faulty, openAlone());
    const ids = Array.from({ length: 40 }, newId);
    const first = writer.write([startOf(newId())]); // the others wait for this insert and share the next one
    const written = ids.map((id, i) => writer.write([i === 17 ? bad(id) : startOf(id)]));
    await first;
    const settled = await Promise.allSettled(written);
    expect(settled.map(({ status }) => status)).toEqual(ids.map((_, i) => (i === 17 ? 'rejected' : 'fulfilled')));
    expect(settled[17]).toMatchObject({
      reason: { kind: 'unacceptable', message: expect.stringContaining('CANNOT_PARSE') },
    });
    expect(await storedIds(ids)).toEqual(ids.filter((_, i) => i !== 17));
    const [{ rows }] = (await store.clickhouse.query<{ rows: number }>(
      'SELECT count() AS rows FROM calls WHERE id IN {ids:Array(String)}',
      { ids },
    )) as [{ rows: number }];
    expect(rows).toBe(39);
  });

  test('a small request does not wait for all of a large one', async () => {
    const writer = openCallWriter(faulty, openAlone());
    const ids = Array.from({ length: 12 }, newId);
    const answered: string[] = [];
    const inputs = JSON.stringify('x'.repeat(megabyte));
    const large = writer.write(ids.map((id) => startOf(id, { inputs }))).then(() => answered.push('large'));
    const small = writer.write([startOf(newId())]).then(() => answered.push('small'));
    await Promise.all([large, small]);
    expect(answered).toEqual(['small', 'large']);
    expect(await storedIds(ids)).toEqual(ids);
  });

  test('items of one request stand on their own', async () => {
    const writer = openCallWriter(faulty, openAlone());
    const [good, spoilt, alsoGood] = [newId(), newId(), newId()];
    const outcomes = await writer.writeEach([startOf(good), bad(spoilt), startOf(alsoGood)]);
    expect(outcomes).toEqual(['stored', expect.any(Failure), 'stored']);
    expect(await storedIds([good, spoilt, alsoGood])).toEqual([good, alsoGood]);
  });

  test('of parts of one call by two writers, the good one is stored', async () => {
    const writer = openCallWriter(faulty, openAlone());
    const id = newId();
    const first = writer.write([startOf(newId())]);
    const spoilt = writer.write([bad(id)]);
    const renamed = writer.write([{ projectId: 'p', id, part: { kind: 'rename', displayName: 'kept' } }]);
    await first;
    await expect(spoilt).rejects.toMatchObject({ kind: 'unacceptable' });
    expect(await renamed).toEqual(['stored']);
    expect(await findRows(store.clickhouse, 'p', [id])).toMatchObject([{ displayName: 'kept', isStarted: false }]);
  });

  test('a value that its column does not hold never joins an insert', async () => {
    const writer = openCallWriter(faulty, openAlone());
    const [good, outside] = [newId(), newId()];
    const before = inserts;
    const write = startOf(outside, { wbRunStep: '1e30' });
    const outcomes = await writer.writeEach([startOf(good), write]);
    expect(outcomes).toEqual(['stored', expect.objectContaining({ kind: 'unacceptable' })]);
    expect((outcomes[1] as Failure).message).toContain('wb_run_step');
    expect(inserts).toBe(before + 1);
    expect(await storedIds([good, outside])).toEqual([good]);
  });

  test('a part that cannot be merged harms no other', async () => {
    const writer = openCallWriter(faulty, openAlone());
    const [good, broken] = [newId(), newId()];
    const end = { endedAt: 1, exception: '', output: 'null', outputRefs: [], wbRunStepEnd: null };
    const part: CallPart = { kind: 'end', end: { ...end, summary: '{"status_counts"' } };
    const first = writer.write([startOf(newId())]);
    const written = writer.write([startOf(good)]);
    const refused = writer.write([{ projectId: 'p', id: broken, part }]);
    await first;
    await expect(refused).rejects.toThrow();
    expect(await written).toEqual(['stored']);
  });

  test('large and small writes of one call merge, though they are committed side by side', async () => {
    const writer = openCallWriter(store.clickhouse, openAlone());
    const ids = Array.from({ length: 5 }, newId);
    const inputs = JSON.stringify('x'.repeat(megabyte));
    const written = ids.flatMap((id) => [
      writer.write([startOf(id, { inputs })]),
      writer.write([{ projectId: 'p', id, part: { kind: 'rename', displayName: 'renamed' } }]),
    ]);
    await Promise.all(written);
    const rows = await findRows(store.clickhouse, 'p', ids);
    expect(rows).toHaveLength(5);
    for (const row of rows) expect(row).toMatchObject({ isStarted: true, displayName: 'renamed', inputs });
  });

  test('a call is marked as repeated although its own commit is still running', async () => {
    const [small, large] = [newId(), newId()];
    const [insertsSmall, insertsLarge] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = {
      ...store.clickhouse,
      async insert(table: string, lines: Buffer) {
        if (lines.includes(large)) insertsLarge.resolve();
        else {
          insertsSmall.resolve();
          await insertsLarge.promise;
        }
        await store.clickhouse.insert(table, lines);
      },
    };
    const writer = openCallWriter(slow, openAlone());
    const reported = (id: string, cached: number, inputs: string): CallWrite => {
      const start = { traceId: 'repeated', mapperVersion: 3, attributes: '{"response_id":"r"}', inputs };
      const counts = { prompt_tokens: 10, completion_tokens: 5, cache_read_input_tokens: cached };
      const summary = JSON.stringify({ usage: { model: counts } });
      const end = {
        endedAt: newYear + 1_000,
        exception: '',
        output: 'null',
        outputRefs: [],
        wbRunStepEnd: null,
        summary,
      };
      const { start: fields } = startPart(start) as { start: StartFields };
      return { projectId: 'p', id, part: { kind: 'complete', start: fields, end } };
    };
    const first = writer.write([reported(small, 0, '{}')]);
    await insertsSmall.promise;
    const second = writer.write([reported(large, 4, JSON.stringify('x'.repeat(megabyte)))]);
    await Promise.all([first, second]);
    await writer.drain();
    const rows = await findRows(store.clickhouse, 'p', [small, large]);
    expect(Object.fromEntries(rows.map(({ id, isRepeated }) => [id, isRepeated]))).toEqual({
      [small]: true,
      [large]: false,
    });
  });

  test('an unavailable store fails the whole request instead of rejecting its calls', async () => {
    const away: ClickHouse = {
      ...store.clickhouse,
      async insert() {
        throw new Failure('unavailable', 'The store does not respond.');
      },
    };
    const writer = openCallWriter(away, openAlone());
    await expect(writer.writeEach([startOf(newId()), startOf(newId())])).rejects.toMatchObject({ kind: 'unavailable' });
  });

  test('a full disk is told to every writer after one attempt', async () => {
    const writer = openCallWriter(faulty, openAlone());
    await writer.write([startOf(newId())]);
    isFull = true;
    const before = inserts;
    try {
      const first = writer.write([startOf(newId())]);
      const others = [newId(), newId(), newId()].map((id) => writer.write([startOf(id)]));
      for (const written of [first, ...others]) {
        await expect(written).rejects.toMatchObject({ code: 243, codeName: 'NOT_ENOUGH_SPACE' });
      }
      expect(inserts).toBe(before + 2);
    } finally {
      isFull = false;
    }
  });

  test('a bad call of the server itself is reported, and the others are written', async () => {
    const lost: Error[] = [];
    const background = openBackgroundCallWriter(openCallWriter(faulty, openAlone()), (error) => lost.push(error));
    const [good, spoilt, alsoGood] = [newId(), newId(), newId()];
    background.write(() => startOf(good), 1);
    background.write(() => bad(spoilt), 1);
    background.write(() => {
      throw new Error('no call can be made');
    }, 1);
    background.write(() => startOf(alsoGood), 1);
    await background.drain();
    expect(lost.map(({ message }) => message)).toEqual(
      expect.arrayContaining(['no call can be made', expect.stringContaining('CANNOT_PARSE')]),
    );
    expect(lost).toHaveLength(2);
    expect(await storedIds([good, spoilt, alsoGood])).toEqual([good, alsoGood]);
  });
});

describe('rows of other tables', () => {
  const line = (digest: string) => insertLine('table_rows', { project_id: 'p', digest, value: '{}', size_bytes: 0 });

  test('of requests that share an insert, only the one of the bad row gets an error', async () => {
    const inserter = openBatchedInserter(faulty);
    const digests = Array.from({ length: 20 }, (_, i) => (i === 5 ? marker : `digest${i}`));
    const first = inserter.insert('table_rows', line('first'));
    const inserted = digests.map((digest) => inserter.insert('table_rows', line(digest)));
    await first;
    const settled = await Promise.allSettled(inserted);
    expect(settled.map(({ status }) => status)).toEqual(digests.map((_, i) => (i === 5 ? 'rejected' : 'fulfilled')));
    expect(settled[5]).toMatchObject({ reason: { kind: 'unacceptable' } });
    const stored = await store.clickhouse.query<{ digest: string }>('SELECT digest FROM table_rows ORDER BY digest');
    expect(stored.map(({ digest }) => digest)).toEqual(
      ['first', ...digests.filter((digest) => digest !== marker)].sort(),
    );
  });

  test('the rows of one request are stored together or not at all', async () => {
    const inserter = openBatchedInserter(faulty);
    const lines = line('together1') + line(marker) + line('together2');
    await expect(inserter.insert('table_rows', lines)).rejects.toMatchObject({ kind: 'unacceptable' });
    const stored = await store.clickhouse.query(`SELECT digest FROM table_rows WHERE digest LIKE 'together%'`);
    expect(stored).toEqual([]);
  });
});

test('an insert does not wait for a longer one into another table', async () => {
  const row_digests = Array.from({ length: 500_000 }, (_, i) => `digest${i}`);
  const table = { project_id: 'p', digest: newId(), row_digests, is_complete: 1 };
  const row = { project_id: 'p', digest: newId(), value: '{}', size_bytes: 2 };
  const inserted: string[] = [];
  const insert = async (name: 'tables' | 'table_rows', line: string) => {
    await store.clickhouse.insert(name, Buffer.from(line));
    inserted.push(name);
  };
  await Promise.all([
    insert('tables', insertLine('tables', table)),
    insert('table_rows', insertLine('table_rows', row)),
  ]);
  expect(inserted).toEqual(['table_rows', 'tables']);
});

describe('what the store says of a value reaches neither log nor client', () => {
  const logged = (error: unknown) => {
    const lines: string[] = [];
    makeLog('info', { write: (text) => lines.push(text) }).error({ err: error }, 'failed');
    const { message, stack } = error as Error;
    return [...lines, message, stack, JSON.stringify(error)].join('\n');
  };
  const failureOf = (failing: Promise<unknown>) =>
    failing.then(
      () => expect.unreachable(),
      (error: unknown) => error,
    );

  test('of a row that is refused', async () => {
    const line = `{"project_id":"${marker}","wb_run_step":1e30,"thread_id":"${marker}"}\n`;
    const error = await failureOf(store.clickhouse.insert('calls', Buffer.from(line)));
    expect(error).toBeInstanceOf(InsertRefused);
    expect(error).toMatchObject({ code: 27, codeName: 'CANNOT_PARSE_INPUT_ASSERTION_FAILED' });
    expect(logged(error)).not.toContain(marker);
    expect(logged(error)).toContain('INSERT on calls');
  });

  test('of the writer’s own error', async () => {
    const error = await failureOf(openCallWriter(faulty, openAlone()).write([bad(newId())]));
    expect(logged(error)).not.toContain(marker);
  });

  test.each([
    ['a literal', `SELECT toInt64('${marker}') FROM calls`],
    ['an identifier', `SELECT \`${marker}\` FROM calls`],
    ['a syntax error', `SELECT FROM WHERE ${marker}`],
    ['a table', `SELECT 1 FROM \`${marker}\``],
  ])('of %s in a query', async (_what, sql) => {
    const error = await failureOf(store.clickhouse.query(sql));
    expect(error).toBeInstanceOf(StoreError);
    expect(error).not.toBeInstanceOf(InsertRefused);
    expect(logged(error)).not.toContain(marker);
  });

  test.each([
    ['SELECT {value:Int64} FROM calls', marker],
    ['SELECT {value:Array(Int64)} FROM calls', [2 ** 60, marker]],
    ['SELECT {value:String} FROM calls', { marker }],
  ])('of a parameter that does not fit %s', async (sql, value) => {
    expect(logged(await failureOf(store.clickhouse.query(sql, { value })))).not.toContain(marker);
  });

  test('of a statement', async () => {
    const error = await failureOf(store.clickhouse.command(`ALTER TABLE calls ADD COLUMN x ${marker}`));
    expect(logged(error)).not.toContain(marker);
    expect((error as Error).message).toContain('ALTER on calls');
  });
});
