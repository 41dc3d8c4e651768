import { pairs } from './list-filters.ts';
import { callable, isText, list, none, text, type Value } from './values.ts';

/** Methods of Python's `dict`, which Jinja finds before a key of the same name. */
export function mappingMethod(entries: ReadonlyMap<string, Value>, name: string): Value | null {
  switch (name) {
    case 'items':
      return callable(() => pairs(entries));
    case 'keys':
      return callable(() => list([...entries.keys()].map(text)));
    case 'values':
      return callable(() => list([...entries.values()]));
    case 'get':
      return callable(([key, usual]) => (key && isText(key) ? entries.get(key.value) : undefined) ?? usual ?? none());
  }
  return null;
}
