import { describe, expect, test } from 'vitest';
import { validatorOf } from '../checks/validator.ts';
import { HostileWriter } from '../testing/hostile-writer.ts';
import { enforced, refused } from '../testing/schemas.ts';
import { jsonGrammar } from './json-grammar.ts';

const writer = new HostileWriter();

/** Numbers from 0 to 1 that repeat with the seed. */
function randomFrom(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

describe('a schema is enforced', () => {
  test.each(enforced)('$name', async ({ schema, good, bad }) => {
    const grammar = jsonGrammar(schema, 'any');
    const faultOf = validatorOf(schema);
    for (const value of good) {
      expect(faultOf(value), JSON.stringify(value)).toBeNull();
      expect(await writer.allows(grammar, JSON.stringify(value)), JSON.stringify(value)).toBe(true);
    }
    for (const value of bad)
      expect(await writer.allows(grammar, JSON.stringify(value)), JSON.stringify(value)).toBe(false);
    for (let seed = 0; seed < 8; seed++) {
      const text = await writer.write(grammar, randomFrom(seed));
      if (text !== null) expect(faultOf(JSON.parse(text)), text).toBeNull();
    }
  });
});

test.each(refused)('refuses $name with the place', ({ schema, message }) => {
  expect(() => jsonGrammar(schema, 'any')).toThrow(message);
});
