import type { QueryParams } from '../clickhouse.ts';

/**
 * Replaces the `{name:Type}` placeholders of a statement with literals. chDB can bind parameters, but then runs
 * statements strictly one after the other, in the whole process.
 * The text is scanned once, so nothing inside a value is taken for a placeholder.
 */
export function inlineParams(sql: string, params: QueryParams): string {
  return sql.replace(placeholder, (_, name: string, type: string) => {
    if (!Object.hasOwn(params, name)) throw new Error(`The statement names {${name}:${type}}, but no value was given`);
    return literalSql(type, params[name]);
  });
}

const placeholder = /\{(\w+):(\w+(?:\(\w+\))?)\}/g;

function literalSql(type: string, value: unknown): string {
  if (type === 'String') return quoted(asString(value, type));
  if (type === 'Array(String)') {
    const texts = asList(value, type).map((each) => quoted(asString(each, type)));
    return texts.length > 0 ? `[${texts.join(',')}]` : "CAST([], 'Array(String)')";
  }
  const text = type.startsWith('Array(')
    ? `[${asList(value, type).map((each) => numberText(each, type))}]`
    : numberText(value, type);
  return `CAST('${text}', '${type}')`;
}

/** A ClickHouse string literal. Line feeds are escaped, and so is NUL, which would end the statement. */
function quoted(text: string): string {
  return `'${text.replace(special, (sign) => escapes.get(sign)!)}'`;
}

const special = /['\\\0\n\r\t]/g;
const escapes = new Map([
  ["'", "\\'"],
  ['\\', '\\\\'],
  ['\0', '\\0'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** A value that is put into the SQL without escaping each character must look like a number. */
function numberText(value: unknown, type: string): string {
  const text = String(value);
  if (/^-?(\d+(\.\d+)?([eE][-+]?\d+)?|inf|nan|Infinity|NaN)$/.test(text)) return text;
  throw new TypeError(`A parameter of type ${type} must be a number, found ${typeof value}`);
}

function asString(value: unknown, type: string): string {
  if (typeof value === 'string') return value;
  throw new TypeError(`A parameter of type ${type} must hold strings, found ${typeof value}`);
}

function asList(value: unknown, type: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw new TypeError(`A parameter of type ${type} must be a list, found ${typeof value}`);
}
