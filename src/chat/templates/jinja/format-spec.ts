import { isText, numberText, type Value } from './values.ts';

/** The part after the colon of `{:>8.2f}`, and between `%` and the letter of `%-8.2f`. */
export type FormatSpec = {
  fill: string;
  align: '<' | '>' | '^' | '=' | null;
  sign: '+' | '-' | ' ';
  alternate: boolean;
  width: number;
  grouping: '' | ',' | '_';
  precision: number | null;
  /** A letter of Python's format specification, or empty. */
  type: string;
};

export const plainSpec: FormatSpec = {
  fill: ' ',
  align: null,
  sign: '-',
  alternate: false,
  width: 0,
  grouping: '',
  precision: null,
  type: '',
};

const widthMax = 10_000;
const syntax = /^(?:(.)?([<>^=]))?([-+ ])?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([bcdeEfFgGnosxX%])?$/su;

/** Parses the specification of `str.format`. */
export function parseFormatSpec(source: string): FormatSpec {
  const found = syntax.exec(source);
  if (!found) throw new Error(`Invalid format specifier '${source}'`);
  const [, fill, align, sign, alternate, zero, width, grouping, precision, type] = found;
  return {
    fill: fill ?? (zero && !align ? '0' : ' '),
    align: (align as FormatSpec['align']) ?? (zero ? '=' : null),
    sign: (sign as FormatSpec['sign']) ?? '-',
    alternate: alternate !== undefined,
    width: Number(width ?? 0),
    grouping: (grouping as FormatSpec['grouping']) ?? '',
    precision: precision === undefined ? null : Number(precision),
    type: type ?? '',
  };
}

/** Formats a string as Python's `format(text, spec)`. */
export function formatText(text: string, spec: FormatSpec): string {
  if (spec.type !== '' && spec.type !== 's') throw new Error(`Unknown format code '${spec.type}' for a string`);
  if (spec.align === '=') throw new Error("'=' alignment is not allowed for a string");
  const characters = Array.from(text);
  return aligned(spec.precision === null ? text : characters.slice(0, spec.precision).join(''), spec, '<');
}

/** Formats a number as Python's `format(number, spec)`. */
export function formatNumber(value: Value, spec: FormatSpec): string {
  if (spec.type === 'c') return aligned(String.fromCodePoint(Number(value.value)), spec, '<');
  const isNegative = Number(value.value) < 0 || Object.is(value.value, -0);
  const digits = grouped(unsigned(value, spec), spec);
  const sign = isNegative ? '-' : spec.sign === '-' ? '' : spec.sign;
  if (spec.align === '=' || (spec.fill === '0' && spec.align === null)) {
    return sign + digits.padStart(widthOf(spec) - sign.length, spec.fill);
  }
  return aligned(sign + digits, spec, '>');
}

function unsigned(value: Value, { type, precision, alternate }: FormatSpec): string {
  const isFloat = value.type === 'FloatValue';
  const number = Math.abs(Number(value.value));
  if (!Number.isFinite(number)) return Number.isNaN(number) ? 'nan' : 'inf';
  if (!isFloat && (type === '' || type === 'd' || type === 'n')) return numberText(value).replace(/^-/, '');
  const radix = { b: 2, o: 8, x: 16, X: 16 }[type];
  if (radix !== undefined) {
    if (isFloat) throw new Error(`Unknown format code '${type}' for a float`);
    const text = (alternate ? `0${type.toLowerCase()}` : '') + BigInt(number).toString(radix);
    return type === 'X' ? text.toUpperCase() : text;
  }
  if (type === '' && precision === null) return numberText({ ...value, value: number } as Value);
  const text = decimal(number, type, precision ?? 6);
  return type === type.toUpperCase() ? text.toUpperCase() : text;
}

function decimal(number: number, type: string, precision: number): string {
  switch (type.toLowerCase()) {
    case 'f':
      return fixed(number, precision);
    case '%':
      return `${fixed(number * 100, precision)}%`;
    case 'e':
      return exponential(number, precision);
    case 'g':
    case 'n':
      return general(number, Math.max(1, precision));
    case '': {
      const text = general(number, Math.max(1, precision));
      return /^\d+$/.test(text) ? `${text}.0` : text;
    }
  }
  throw new Error(`Unknown format code '${type}' for a float`);
}

/** Like `toFixed`, but ties round to the even digit. */
export function fixed(number: number, digits: number): string {
  if (number >= 1e21) return BigInt(number).toString() + (digits > 0 ? `.${'0'.repeat(digits)}` : '');
  const rounded = number.toFixed(Math.min(100, digits));
  if (digits >= 60) return rounded;
  const isTie =
    /50*$/.test(number.toFixed(digits + 40).slice(-40)) && /^50*$/.test(number.toFixed(digits + 40).slice(-40));
  if (!isTie || Number(rounded.at(-1)) % 2 === 0) return rounded;
  const truncated = number.toFixed(digits + 1).slice(0, -1);
  return truncated.endsWith('.') ? truncated.slice(0, -1) : truncated;
}

function exponential(number: number, precision: number): string {
  const [digits, exponent] = number.toExponential(Math.min(100, precision)).split('e') as [string, string];
  const power = Number(exponent);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

function general(number: number, precision: number): string {
  const power = number === 0 ? 0 : Number(number.toExponential(Math.min(100, precision - 1)).split('e')[1]);
  if (power >= -4 && power < precision) return withoutZeros(fixed(number, Math.max(0, precision - 1 - power)));
  const [digits, exponent] = exponential(number, precision - 1).split('e') as [string, string];
  return `${withoutZeros(digits)}e${exponent}`;
}

function withoutZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

function grouped(digits: string, { grouping }: FormatSpec): string {
  if (grouping === '') return digits;
  const [whole, ...rest] = digits.split('.') as [string, ...string[]];
  return [whole.replace(/\B(?=(\d{3})+$)/g, grouping), ...rest].join('.');
}

function aligned(text: string, spec: FormatSpec, usual: '<' | '>'): string {
  const missing = Math.max(0, widthOf(spec) - Array.from(text).length);
  const align = spec.align ?? usual;
  const before = align === '>' ? missing : align === '^' ? Math.floor(missing / 2) : 0;
  return spec.fill.repeat(before) + text + spec.fill.repeat(missing - before);
}

function widthOf({ width }: FormatSpec): number {
  if (width > widthMax) throw new Error(`A width of ${width} is too large; at most ${widthMax} are allowed`);
  return width;
}

/** Whether Python formats this value as a number. */
export function isNumber(value: Value): boolean {
  return ['IntegerValue', 'FloatValue', 'BooleanValue'].includes(value.type);
}

/** Formats any value as `format(value, spec)`: containers and None accept no specification. */
export function formatValue(value: Value, spec: FormatSpec, shown: (value: Value) => string): string {
  if (isText(value)) return formatText(value.value, spec);
  if (isNumber(value) && !(value.type === 'BooleanValue' && spec.type === '')) return formatNumber(value, spec);
  return formatText(shown(value), spec);
}
