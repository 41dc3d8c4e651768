import { describe, expect, test } from 'vitest';
import { validatorOf } from '../checks/validator.ts';
import { HostileWriter } from '../testing/hostile-writer.ts';
import { randomFrom } from '../testing/random-from.ts';
import { enforced, refused } from '../testing/schemas.ts';
import { jsonGrammar } from './json-grammar.ts';

const writer = new HostileWriter();

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
