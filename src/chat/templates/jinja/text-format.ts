import type { Arguments } from './arguments.ts';
import { formatValue, parseFormatSpec } from './format-spec.ts';
import { pythonText, reprOf } from './python-text.ts';
import { isList, isMapping, text, type Value } from './values.ts';

const replacement = /\{\{|\}\}|\{([^{}!:]*)(?:!([rsa]))?(?::((?:[^{}]|\{[^{}]*\})*))?\}|[{}]/g;

/** Python's `template.format(*args, **kwargs)`. */
export function textFormat(template: string, args: Arguments): string {
  let position = 0;
  const field = (path: string): Value => {
    const [first, ...steps] = path.split(/\.|\[|\]\.?/).filter((step, index) => index === 0 || step !== '');
    const name = first === '' ? String(position++) : first!;
    let value = /^\d+$/.test(name) ? args.positional[Number(name)] : args.named.get(name);
    if (!value) throw new Error(`format() has no argument '${name}'`);
    for (const step of steps) value = memberOf(value, step);
    return value;
  };
  return template.replace(replacement, (whole, path?: string, shown?: string, spec?: string) => {
    if (whole === '{{') return '{';
    if (whole === '}}') return '}';
    if (path === undefined) throw new Error(`Single '${whole}' encountered in format string`);
    const value = field(path);
    const converted = shown === undefined ? value : text(shown === 's' ? pythonText(value) : reprOf(value));
    const filled = (spec ?? '').replace(/\{([^{}]*)\}/g, (_whole, inner: string) => pythonText(field(inner)));
    return formatValue(converted, parseFormatSpec(filled), pythonText);
  });
}

function memberOf(value: Value, step: string): Value {
  const member = isMapping(value) ? value.value.get(step) : isList(value) ? value.value[Number(step)] : undefined;
  if (!member) throw new Error(`format() finds no '${step}'`);
  return member;
}
