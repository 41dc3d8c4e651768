import { expect, test } from 'vitest';
import { readDecimal, readTruth } from './lax-text.ts';

test.each([
  ['true', true],
  ['Yes', true],
  ['ON', true],
  ['1', true],
  ['f', false],
  ['no', false],
  ['0', false],
  ['2', null],
  ['', null],
  [' true', null],
])('%j is the truth value %j', (text, value) => expect(readTruth(text)).toBe(value));

test.each([
  ['1.5', 1.5],
  [' -2. ', -2],
  ['.5', 0.5],
  ['+1E3', 1000],
  ['1e999', Infinity],
  ['', null],
  ['.', null],
  ['0x10', null],
  ['Infinity', null],
  ['1 2', null],
])('%j is the number %j', (text, value) => expect(readDecimal(text)).toBe(value));
