import { expect, test } from 'vitest';
import { checkBeamWidth } from './beam-fields.ts';

test('rejects more than ten beams [chat 170]', () => {
  expect(() => checkBeamWidth(11)).toThrow(expect.objectContaining({ kind: 'invalidInput', extra: { param: 'n' } }));
  expect(() => checkBeamWidth(10)).not.toThrow();
});
