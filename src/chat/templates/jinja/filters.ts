import { Environment } from '@huggingface/jinja';
import { type DumpOptions, pythonText } from './python-text.ts';
import { equal, isList, isMapping, isText, isUndefined, text, type Value } from './values.ts';

/** Where a template's variables live, with the tests that `is` knows. */
export type Scope = Environment & { tests: ReadonlyMap<string, (...values: Value[]) => boolean> };

export function itemsOf(value: Value): Value[] {
  if (isList(value)) return value.value;
  if (isMapping(value)) return [...value.value.keys()].map(text);
  if (isText(value)) return Array.from(value.value, text);
  if (isUndefined(value)) return [];
  throw new Error(`${kind(value)} cannot be looped over.`);
}

export function truthy(value: Value): boolean {
  return (value as unknown as { __bool__(): { value: boolean } }).__bool__().value;
}

function attributeOf(item: Value, path: string): Value | undefined {
  let current: Value | undefined = item;
  for (const step of path.split('.')) {
    if (!current) return undefined;
    current = isMapping(current) ? current.value.get(step) : isList(current) ? current.value[Number(step)] : undefined;
  }
  return current;
}

export function testAttribute(item: Value, [attribute, ...test]: Value[], scope: Scope): boolean {
  return testValue(attributeOf(item, String(attribute!.value)) ?? missing, test, scope);
}

const missing = new Environment().lookupVariable('missing') as unknown as Value;

export function testValue(value: Value, [test, argument]: Value[], scope: Scope): boolean {
  if (!test) return truthy(value);
  const name = String(test.value);
  if (argument && (name === 'equalto' || name === 'eq' || name === '==')) return equal(value, argument);
  if (argument && (name === 'ne' || name === '!=')) return !equal(value, argument);
  if (argument && name === 'in') return itemsOf(argument).some((item) => equal(item, value));
  const known = scope.tests.get(name);
  if (!known) throw new Error(`The test ${name} is not known.`);
  return argument ? known(value, argument) : known(value);
}

export function defaulted(operand: Value, args: Value[], named: Map<string, Value>): Value {
  const replacesFalse = args[1] ?? named.get('boolean');
  const isMissing = isUndefined(operand) || (replacesFalse !== undefined && truthy(replacesFalse) && !truthy(operand));
  return isMissing ? (args[0] ?? named.get('default_value') ?? text('')) : operand;
}

export function joined(items: Value[], separator: Value | undefined, attribute: Value | undefined): Value {
  const shown = attribute ? items.map((item) => attributeOf(item, String(attribute.value)) ?? missing) : items;
  return text(shown.map(pythonText).join(separator ? pythonText(separator) : ''));
}

export function dumpOptions(args: Value[], named: Map<string, Value>): DumpOptions {
  const separators = named.get('separators');
  const get = (name: string, position: number) => named.get(name) ?? args[position];
  const indent = get('indent', 1)?.value;
  return {
    ensureAscii: get('ensure_ascii', 0)?.value === true,
    indent: typeof indent === 'number' ? indent : null,
    separators:
      separators && isList(separators)
        ? ([pythonText(separators.value[0]!), pythonText(separators.value[1]!)] as const)
        : null,
    sortKeys: named.get('sort_keys')?.value === true,
  };
}

export function kind(value: Value): string {
  return value.type
    .replace(/Value$/, '')
    .toLowerCase()
    .replace('null', 'none');
}
