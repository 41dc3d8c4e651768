import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TableChange } from '../../contract/tables/update.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { fromDigestList, toDigestList } from '../digest/digest-list.ts';
import { addedRowsOf, changeList, stepsOf } from './table-changes.ts';

const row = (text: string) => new JsonText(text);
const digestOf = (text: string) => `digest of ${text}`;

const anyChange = fc.oneof(
  fc.record({ append: fc.record({ row: fc.string().map(row) }) }),
  fc.record({ insert: fc.record({ index: fc.nat(12), row: fc.string().map(row) }) }),
  fc.record({ pop: fc.record({ index: fc.nat(12) }) }),
);

async function apply(base: string[], changes: TableChange[]): Promise<{ list: string[]; touched: string[] }> {
  const added = await toDigestList(addedRowsOf(changes).map(digestOf));
  const { list, touched } = await changeList(await toDigestList(base), { steps: stepsOf(changes), added });
  return { list: await fromDigestList(list), touched: await fromDigestList(touched) };
}

/** The same with an array; null if an index is out of range. */
function applyToArray(base: string[], changes: TableChange[]): { list: string[]; touched: string[] } | null {
  const list = [...base];
  const touched: string[] = [];
  for (const change of changes) {
    const index = 'append' in change ? list.length : 'insert' in change ? change.insert.index : change.pop.index;
    if (index > list.length || ('pop' in change && index === list.length)) return null;
    if ('pop' in change) touched.push(...list.splice(index, 1));
    else {
      const digest = digestOf(('append' in change ? change.append : change.insert).row.text);
      list.splice(index, 0, digest);
      touched.push(digest);
    }
  }
  return { list, touched };
}

test('changes a list as it would change an array', async () => {
  const lists = fc.array(fc.string({ unit: 'binary' }), { maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(lists, fc.array(anyChange, { maxLength: 10 }), async (base, changes) => {
      const expected = applyToArray(base, changes);
      if (expected) expect(await apply(base, changes)).toEqual(expected);
      else await expect(apply(base, changes)).rejects.toThrow('Index out of range');
    }),
  );
});

test.each([-1, 1, 2 ** 31, -(2 ** 40), 2 ** 52])('rejects the index %d in a list of one row', async (index) => {
  await expect(apply(['a'], [{ pop: { index } }])).rejects.toThrow('Index out of range');
});

test('returns the digest of the changed list', async () => {
  const base = await toDigestList(['a', 'b']);
  const changes = [{ pop: { index: 0 } }];
  const { digest } = await changeList(base, { steps: stepsOf(changes), added: await toDigestList([]) });
  expect(digest).toBe('3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d'); // sha256 of "b"
});
