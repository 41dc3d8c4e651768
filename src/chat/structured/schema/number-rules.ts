import { choice, type Expression, ebnf, nothing, optional, sequence, text } from './grammar-rules.ts';

/** Bounds of a number. `isOpen`: the bound itself is excluded. */
export type Bound = { value: number; isOpen: boolean };
export type NumberRange = { low: Bound | null; high: Bound | null };

/** Limited so that a double can hold every number. */
const digitsMax = 24;
export const anyInteger = ebnf(`("0" | "-"? [1-9] [0-9]{0,${digitsMax - 1}})`);
export const anyNumber = ebnf(`"-"? ("0" | [1-9] [0-9]{0,${digitsMax - 1}}) ("." [0-9]+)? ([eE] [+-]? [0-9]{1,2})?`);

/** The integers of a range. @throws for bounds that doubles cannot distinguish from their neighbors */
export function integers({ low, high }: NumberRange): Expression {
  if (low === null && high === null) return anyInteger;
  const least = low && smallestInteger(low);
  const most = high && -smallestInteger({ value: -high.value, isOpen: high.isOpen });
  return integersBetween(least === null ? null : BigInt(least), most === null ? null : BigInt(most));
}

function integersBetween(least: bigint | null, most: bigint | null): Expression {
  const options: Expression[] = [];
  if (least === null || least < 0n) {
    const from = most !== null && most < 0n ? -most : 1n;
    const to = least === null ? null : -least;
    options.push(sequence(text('-'), naturals(from, to)));
  }
  if (most === null || most >= 0n) options.push(naturals(least !== null && least > 0n ? least : 0n, most));
  return choice(options);
}

function smallestInteger({ value, isOpen }: Bound): number {
  if (!isOpen || !Number.isInteger(value)) return Math.ceil(value);
  if (Math.abs(value) >= 2 ** 53) throw new Error(`${value} is too large for an exclusive bound`);
  return value + 1;
}

/** The numbers of a range, without exponents. */
export function numbers(range: NumberRange): Expression {
  const { low, high } = range;
  if (low === null && high === null) return anyNumber;
  const digits = fractionDigits(range);
  const zero: Bound = { value: 0, isOpen: true };
  const options: Expression[] = [];
  if (low === null || low.value < 0) {
    const from = high !== null && high.value < 0 ? negated(high) : zero;
    options.push(sequence(text('-'), decimals(from, low && negated(low), digits)));
  }
  if (high === null || high.value >= 0) {
    const from = low !== null && low.value >= 0 ? low : { ...zero, isOpen: false };
    options.push(decimals(from, high, digits));
  }
  return choice(options);
}

/** How many decimals are allowed: few enough that no number rounds to an open bound. */
function fractionDigits({ low, high }: NumberRange): number {
  const open = [low, high].filter((bound): bound is Bound => bound?.isOpen === true);
  const whole = Math.max(
    0,
    ...[low, high].map((bound) => (bound ? split(bound.value)[0].replace(/^0$/, '').length : 0)),
  );
  const digits = Math.max(0, 15 - whole);
  for (const { value } of open) {
    if (digits === 0 || split(value)[1].length > digits) {
      throw new Error(`${value} has too many digits for an exclusive bound`);
    }
  }
  return digits;
}

/** Non-negative numbers. */
function decimals(low: Bound, high: Bound | null, digits: number): Expression {
  const [lowWhole, lowFraction] = split(low.value);
  const [highWhole, highFraction] = high ? split(high.value) : [null, ''];
  const least = BigInt(lowWhole);
  const most = highWhole === null ? null : BigInt(highWhole);
  const fraction = (isAboveLow: boolean, isBelowHigh: boolean) =>
    new Fractions(
      isAboveLow ? null : { digits: lowFraction, isOpen: low.isOpen },
      isBelowHigh ? null : { digits: highFraction, isOpen: high!.isOpen },
      digits,
    ).expression();
  if (most !== null && most < least) return nothing;
  if (least === most) return sequence(text(lowWhole), fraction(false, false));
  const options = [sequence(text(lowWhole), fraction(false, true))];
  if (most === null || most > least + 1n) {
    options.push(sequence(naturals(least + 1n, most === null ? null : most - 1n), fraction(true, true)));
  }
  if (most !== null) options.push(sequence(text(highWhole!), fraction(true, false)));
  return choice(options);
}

type FractionBound = { digits: string; isOpen: boolean };

/** What may follow an integer part that equals that of a bound, up to the end of the number. */
class Fractions {
  readonly #low: FractionBound | null;
  readonly #high: FractionBound | null;
  readonly #digits: number;

  constructor(low: FractionBound | null, high: FractionBound | null, digits: number) {
    this.#low = low;
    this.#high = high;
    this.#digits = digits;
  }

  expression(): Expression {
    const { mayEnd, rest } = this.#from(0, this.#low, this.#high);
    const fraction = sequence(text('.'), rest);
    return mayEnd ? optional(fraction) : fraction;
  }

  /** From a digit on, if the digits before are those of the given bounds. */
  #from(at: number, low: FractionBound | null, high: FractionBound | null): { mayEnd: boolean; rest: Expression } {
    const isAtLow = low !== null && at >= low.digits.length;
    const isAtHigh = high !== null && at >= high.digits.length;
    const mayEnd = (low === null || (isAtLow && !low.isOpen)) && (high === null || !isAtHigh || !high.isOpen);
    if (isAtHigh) return { mayEnd, rest: mayEnd ? text('0') : nothing };
    if (high === null && (low === null || isAtLow)) return { mayEnd, rest: this.#free(at, low?.isOpen === true) };
    const from = Number(low?.digits[at] ?? 0);
    const to = high === null ? 9 : Number(high.digits[at]);
    const next = (digit: number) => {
      const rest = this.#from(at + 1, digit === from ? low : null, digit === to ? high : null);
      return sequence(text(String(digit)), rest.mayEnd ? optional(rest.rest) : rest.rest);
    };
    const edges = [...(low === null ? [] : [from]), ...(high === null || (low !== null && from === to) ? [] : [to])];
    const least = low === null ? from : from + 1;
    const most = high === null ? to : to - 1;
    const between = least > most ? [] : [sequence(digitClass(least, most), optional(this.#free(at + 1, false)))];
    return { mayEnd, rest: choice([...(from > to ? [] : edges.map(next)), ...between]) };
  }

  /** Any digits, at least one, or at least one that is not 0. */
  #free(at: number, isAboveZero: boolean): Expression {
    const left = Math.max(0, this.#digits - at);
    if (left === 0) return nothing;
    return isAboveZero ? ebnf(`"0"{0,${left - 1}} [1-9] [0-9]{0,${left}}`) : ebnf(`[0-9]{1,${left}}`);
  }
}

/** Natural numbers of a range, as digits. */
function naturals(least: bigint, most: bigint | null): Expression {
  if (most !== null && most < least) return nothing;
  const low = String(least);
  const high = most === null ? null : String(most);
  const lengthMax = high?.length ?? Math.max(digitsMax, low.length);
  const options: Expression[] = [];
  const isSame = high !== null && low.length === high.length;
  options.push(sameLength(low, isSame ? high : '9'.repeat(low.length)));
  const longer = isSame ? 0 : lengthMax - low.length - (high === null ? 0 : 1);
  if (longer > 0) options.push(ebnf(`[1-9] [0-9]{${low.length},${low.length + longer - 1}}`));
  if (high !== null && !isSame) options.push(sameLength(`1${'0'.repeat(high.length - 1)}`, high));
  return choice(options);
}

/** Numbers of the same length, from `low` to `high`. */
function sameLength(low: string, high: string): Expression {
  if (low === '') return sequence();
  const length = low.length - 1;
  if (/^0*$/.test(low) && /^9*$/.test(high)) return ebnf(`[0-9]{${low.length}}`);
  const [lowFirst, highFirst] = [Number(low[0]), Number(high[0])];
  if (lowFirst === highFirst) return sequence(text(low[0]!), sameLength(low.slice(1), high.slice(1)));
  const isWholeLow = /^0*$/.test(low.slice(1));
  const isWholeHigh = /^9*$/.test(high.slice(1));
  const from = isWholeLow ? lowFirst : lowFirst + 1;
  const to = isWholeHigh ? highFirst : highFirst - 1;
  const options: Expression[] = [];
  if (!isWholeLow) options.push(sequence(text(low[0]!), sameLength(low.slice(1), '9'.repeat(length))));
  if (from <= to) {
    options.push(length === 0 ? digitClass(from, to) : sequence(digitClass(from, to), ebnf(`[0-9]{${length}}`)));
  }
  if (!isWholeHigh) options.push(sequence(text(high[0]!), sameLength('0'.repeat(length), high.slice(1))));
  return choice(options);
}

function digitClass(from: number, to: number): Expression {
  return from === to ? text(String(from)) : ebnf(`[${from}-${to}]`);
}

function negated({ value, isOpen }: Bound): Bound {
  return { value: -value, isOpen };
}

/** The integer part and the fraction of a number's shortest decimal form, without its sign. */
export function split(value: number): [whole: string, fraction: string] {
  const [mantissa, exponent = '0'] = String(Math.abs(value)).split('e') as [string, string?];
  const [whole, fraction = ''] = mantissa.split('.') as [string, string?];
  const shift = Number(exponent);
  if (shift === 0) return [whole, fraction];
  const digits = whole + fraction;
  const point = whole.length + shift;
  if (point <= 0) return ['0', '0'.repeat(-point) + digits];
  return [digits.slice(0, point).padEnd(point, '0'), digits.slice(point)];
}
