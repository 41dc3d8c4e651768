import type { Arguments } from './arguments.ts';
import { fixed, isNumber } from './format-spec.ts';
import { float, integer, isText, type Value } from './values.ts';

type Filter = (operand: Value, args: Arguments) => Value;

export const numberFilters: Readonly<Record<string, Filter>> = {
  abs: (operand) => {
    if (!isNumber(operand)) throw new Error(`${operand.type} is not a number`);
    const number = Math.abs(Number(operand.value));
    return operand.type === 'FloatValue' ? float(number) : integer(number);
  },
  int: (operand, args) => {
    const base = Number(args.get(1, 'base')?.value ?? 10);
    const number = isText(operand) ? integerOf(operand.value, base) : isNumber(operand) ? Number(operand.value) : null;
    if (operand.type === 'IntegerValue') return operand;
    return number === null || !Number.isFinite(number)
      ? (args.get(0, 'default') ?? integer(0))
      : integer(Math.trunc(number));
  },
  float: (operand, args) => {
    const number = isText(operand) ? floatOf(operand.value) : isNumber(operand) ? Number(operand.value) : null;
    return number === null ? (args.get(0, 'default') ?? float(0)) : float(number);
  },
  round: (operand, args) => {
    if (!isNumber(operand)) throw new Error(`${operand.type} is not a number`);
    const digits = Number(args.get(0, 'precision')?.value ?? 0);
    const method = args.get(1, 'method')?.value ?? 'common';
    const number = Number(operand.value);
    if (method === 'common') {
      if (operand.type !== 'FloatValue') return operand;
      return float(Number((number < 0 ? '-' : '') + fixed(Math.abs(number), Math.max(0, digits))));
    }
    const scale = 10 ** digits;
    return float((method === 'ceil' ? Math.ceil(number * scale) : Math.floor(number * scale)) / scale);
  },
};

function integerOf(source: string, base: number): number | null {
  const written = source.trim().replaceAll('_', '').toLowerCase();
  const [, sign = '', digits = ''] = /^([+-]?)(?:0[xbo])?(.*)$/s.exec(written)!;
  const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz'.slice(0, base);
  const isValid = digits !== '' && Array.from(digits).every((digit) => alphabet.includes(digit));
  if (isValid) return Number.parseInt(sign + digits, base);
  return floatOf(source);
}

function floatOf(source: string): number | null {
  const written = source.trim().replaceAll('_', '');
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(written)) return Number(written);
  const special = /^([+-]?)(inf|infinity|nan)$/i.exec(written);
  if (!special) return null;
  return special[2]!.toLowerCase() === 'nan' ? Number.NaN : special[1] === '-' ? -Infinity : Infinity;
}
