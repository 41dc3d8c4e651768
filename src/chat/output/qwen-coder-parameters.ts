import { parsePlain } from '../../util/json/parse.ts';

/**
 * A regular expression of the parameters that Qwen3-Coder writes for a tool: in the order of its schema, with values of
 * the right type. The contents of strings, lists and objects are not constrained.
 */
export function qwenCoderParameters(schema: string | null | undefined): string {
  const { properties, required } = membersOf(schema);
  const known = Object.entries(properties);
  if (known.length === 0) return `(${parameter('[a-zA-Z_][a-zA-Z0-9_]*', anyText)})*`;
  return known
    .map(([key, property]) => {
      const written = parameter(escaped(key), patternOf(property));
      return required.includes(key) ? written : `(${written})?`;
    })
    .join('');
}

/** Anything except a closing tag. */
const anyText = '([^<]|<[^/])*';

function parameter(key: string, value: string): string {
  return `<parameter=${key}>\\n${value}\\n</parameter>\\n`;
}

function patternOf(property: unknown): string {
  const { type, enum: values } = (typeof property === 'object' && property !== null ? property : {}) as {
    type?: unknown;
    enum?: unknown;
  };
  if (Array.isArray(values) && values.length > 0) {
    const words = values.map((value) => escaped(typeof value === 'string' ? value : JSON.stringify(value)));
    return `(${words.join('|')})`;
  }
  if (type === 'integer') return '-?(0|[1-9][0-9]*)';
  if (type === 'number') return '-?(0|[1-9][0-9]*)([.][0-9]+)?';
  if (type === 'boolean') return '(true|false)';
  return anyText;
}

function membersOf(schema: string | null | undefined): { properties: Record<string, unknown>; required: unknown[] } {
  try {
    const { properties, required } = parsePlain(schema ?? '{}') as { properties?: unknown; required?: unknown };
    const isMapping = typeof properties === 'object' && properties !== null;
    return {
      properties: isMapping ? (properties as Record<string, unknown>) : {},
      required: Array.isArray(required) ? required : [],
    };
  } catch {
    return { properties: {}, required: [] };
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&').replaceAll('\n', '\\n');
}
