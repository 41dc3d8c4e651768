import { Environment } from '@huggingface/jinja';
import { isList, isMapping, isText, isUndefined, text, type Value } from './values.ts';

/** The items that a loop over a value visits. @throws if it cannot be iterated */
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

/**
 * The member at a path such as `function.name` or `0.x`; undefined if the last step does not exist. @throws if an
 * earlier one does not
 */
export function attributeOf(item: Value, path: string): Value {
  let current: Value = item;
  for (const step of path.split('.')) {
    if (isUndefined(current)) throw new Error(`'${path}': a member before '${step}' is undefined`);
    const found: Value | undefined = isMapping(current)
      ? current.value.get(step)
      : isList(current)
        ? current.value[Number(step)]
        : undefined;
    current = found ?? missing;
  }
  return current;
}

export const missing = new Environment().lookupVariable('missing') as unknown as Value;

export function kind(value: Value): string {
  return value.type
    .replace(/Value$/, '')
    .toLowerCase()
    .replace('null', 'none');
}

/** Whether an optional argument has a value other than None. */
export function isSet(value: Value | undefined): value is Value {
  return value !== undefined && value.type !== 'NullValue';
}
