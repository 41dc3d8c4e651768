import { describe, expect, test } from 'vitest';
import { readFunctionGemmaCall, readGemmaCall } from '../../output/gemma-calls.ts';
import { validatorOf } from '../checks/validator.ts';
import { HostileWriter } from '../testing/hostile-writer.ts';
import { randomFrom } from '../testing/random-from.ts';
import { enforced } from '../testing/schemas.ts';
import { valueGrammar } from './json-grammar.ts';
import { markedNotation } from './marked-notation.ts';

const writer = new HostileWriter();
const formats = [
  { name: 'Gemma 4', quote: '<|"|>', close: '<tool_call|>', read: readGemmaCall },
  { name: 'FunctionGemma', quote: '<escape>', close: '<end_function_call>', read: readFunctionGemmaCall },
];

/** As the chat templates of these models write arguments. */
function written(value: unknown, quote: string): string {
  if (typeof value === 'string') return quote + value + quote;
  if (Array.isArray(value)) return `[${value.map((item) => written(item, quote)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${key}:${written(member, quote)}`);
  return `{${members.join(',')}}`;
}

const isWordly = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || Object.keys(value).every((key) => /^[\w-]+$/.test(key));

describe.each(formats)('arguments of $name satisfy their schema', ({ quote, close, read }) => {
  const wrapped = enforced.filter(
    ({ schema, name: title }) =>
      !JSON.stringify(schema).includes('$ref') && title !== 'members beside many listed ones',
  );
  test.each(wrapped)('$name', async ({ schema, good, bad }) => {
    const whole = { type: 'object', properties: { v: schema }, required: ['v'], additionalProperties: false };
    const grammar = valueGrammar(whole, markedNotation(quote, close));
    const faultOf = validatorOf(whole);
    for (const v of good.filter(isWordly)) {
      expect(await writer.allows(grammar, written({ v }, quote)), written({ v }, quote)).toBe(true);
    }
    for (const v of bad) expect(await writer.allows(grammar, written({ v }, quote))).toBe(false);
    for (let seed = 0; seed < 3; seed++) {
      const text = await writer.write(grammar, randomFrom(seed));
      if (text !== null) expect(faultOf(JSON.parse(read(`call:f${text}`).arguments)), text).toBeNull();
    }
  });

  test('a string has any characters but the marks, and a name that needs it is enclosed', async () => {
    const schema = { type: 'object', properties: { 'a b': { type: 'string' }, '': {} }, required: ['a b'] };
    const grammar = valueGrammar(schema, markedNotation(quote, close));
    const inside = `<|"|\n\\ {<tool_call> 東京 </escape> ${quote.slice(0, -1)}`;
    const text = (value: string) => `{${quote}a b${quote}:${quote}${value}${quote}}`;
    expect(await writer.allows(grammar, text(inside))).toBe(true);
    expect(JSON.parse(read(`call:f${text(inside)}`).arguments)).toEqual({ 'a b': inside });
    for (const mark of [quote, close]) expect(await writer.allows(grammar, text(`a${mark}b`))).toBe(false);
  });

  test('a value with a mark cannot be written', () => {
    expect(() => valueGrammar({ enum: [`a${quote}`] }, markedNotation(quote, close))).toThrow(/cannot be written/);
  });
});
