import { expect, test } from 'vitest';
import { JsonText } from '../../util/json/json-text.ts';
import { formatMessage } from './format-text.ts';

const variables = {
  name: 'Ada',
  count: 2,
  row: { city: 'Paris', 'a b': 1 },
  list: ['x'],
  'my column': 'c',
  id: new JsonText('1.10'),
};
const format = (text: string) => formatMessage({ role: 'user', content: text }, variables).content;

test.each([
  ['Hello {name}', 'Hello Ada'],
  ['{{name}} {count}', '{name} 2'],
  ['{row[city]} {row.city} {list[0]}', 'Paris Paris x'],
  ['{row}', '{"city":"Paris","a b":1}'],
  ['{my column} {id}', 'c 1.10'],
])('%j becomes %j', (template, text) => {
  expect(format(template)).toBe(text);
});

test.each([
  ['{missing}', "variable 'missing' not found. Available variables: count, id, list, my column, name, row"],
  ['{row[country]}', "there is no field 'country'"],
  ['{', 'single "{"'],
  ['a } b', 'single "}"'],
  ['{}', 'not a variable name'],
  ['{name!r}', 'not a variable name'],
  ['{constructor}', "variable 'constructor' not found"],
  ['{row.constructor}', "there is no field 'constructor'"],
])('rejects %j: %s', (template, message) => {
  expect(() => format(template)).toThrow(message);
});

test('fills in the parts of a message', () => {
  const content = [
    { type: 'text', text: 'Hi {name}' },
    { type: 'image_url', image_url: { url: '{name}' } },
  ];
  expect(formatMessage({ role: 'user', content }, variables).content).toEqual([
    { type: 'text', text: 'Hi Ada' },
    { type: 'image_url', image_url: { url: '{name}' } },
  ]);
});
