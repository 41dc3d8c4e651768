import { formatNumber, formatText, isNumber, plainSpec } from './format-spec.ts';
import { pythonText, reprOf } from './python-text.ts';
import { integer, isMapping, isText, type Value } from './values.ts';

const conversion = /%(?:\(([^)]*)\))?([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+))?[hlL]?(.)?/gs;

/** Python's `format % values`: a tuple has one value for each conversion, a mapping is read by name. */
export function percentFormat(format: string, values: Value): string {
  const queue = values.type === 'TupleValue' ? [...(values.value as Value[])] : [values];
  let taken = 0;
  const next = () => {
    if (taken >= queue.length) throw new Error('not enough arguments for format string');
    return queue[taken++]!;
  };
  const text = format.replace(conversion, (_whole, name, flags: string, width, precision, letter) => {
    if (letter === '%') return '%';
    if (letter === undefined) throw new Error('incomplete format');
    const size = (written: string | undefined) => (written === '*' ? Number(next().value) : Number(written ?? 0));
    const isLeft = flags.includes('-');
    const spec = {
      ...plainSpec,
      width: size(width),
      precision: precision === undefined ? null : size(precision),
      align: isLeft ? ('<' as const) : ('>' as const),
      sign: flags.includes('+') ? ('+' as const) : flags.includes(' ') ? (' ' as const) : ('-' as const),
      alternate: flags.includes('#'),
    };
    const value = name === undefined ? next() : named(values, name);
    if (letter === 's' || letter === 'r' || letter === 'a') {
      return formatText(letter === 's' ? pythonText(value) : reprOf(value), spec);
    }
    if (letter === 'c' && isText(value)) return formatText(value.value, spec);
    if (!isNumber(value)) throw new Error(`%${letter} format: a number is required, not ${value.type}`);
    const isZeroFilled = flags.includes('0') && !isLeft;
    const numeric = { ...spec, ...(isZeroFilled ? { fill: '0', align: '=' as const } : {}) };
    if ('diu'.includes(letter)) return formatNumber(whole(value), { ...numeric, type: 'd', precision: null });
    if ('oxX'.includes(letter)) return formatNumber(value, { ...numeric, type: letter, precision: null });
    if ('eEfFgGc'.includes(letter)) return formatNumber(value, { ...numeric, type: letter });
    throw new Error(`unsupported format character '${letter}'`);
  });
  if (values.type === 'TupleValue' && taken < queue.length) {
    throw new Error('not all arguments converted during string formatting');
  }
  return text;
}

function named(values: Value, name: string): Value {
  if (!isMapping(values)) throw new Error('format requires a mapping');
  const value = values.value.get(name);
  if (!value) throw new Error(`the mapping has no '${name}'`);
  return value;
}

function whole(value: Value): Value {
  return value.type === 'FloatValue' || value.type === 'BooleanValue'
    ? integer(Math.trunc(Number(value.value)))
    : value;
}
