import { expect, test } from 'vitest';
import { explain } from './errors.ts';

test.each([
  ['53100', 'could not extend file', 'noSpace'],
  ['XX000', 'could not write to file "base/1/2": Disk quota exceeded', 'noSpace'],
  ['53200', 'out of memory', 'unavailable'],
  ['53300', 'sorry, too many clients already', 'unavailable'],
  ['53400', 'configuration limit exceeded', 'unavailable'],
  ['58030', 'could not read blocks: Input/output error', 'unavailable'],
  ['57P02', 'terminating connection because of crash of another server process', 'unavailable'],
  ['57P03', 'the database system is in recovery mode', 'unavailable'],
])('%s, %s, is %s', (code, message, kind) => {
  expect(explain(Object.assign(new Error(message), { code }))).toMatchObject({ kind });
});

test('an error that nobody expects stays as it is', () => {
  const error = Object.assign(new Error('relation does not exist'), { code: '42P01' });
  expect(explain(error)).toBe(error);
});
