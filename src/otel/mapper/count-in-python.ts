import { JsonNumber } from '../../util/json/lossless.ts';
import { EmbeddedJson } from '../tree.ts';
import { attribute, type Source } from './convention.ts';

/** A count in the printed Python object of a response or its usage: `cached_tokens=402`, `'cached_tokens': 402`. */
export function countInPython(key: string, name: string): Source {
  const { read, ...place } = attribute(key);
  const pattern = new RegExp(`\\b${name}(?:=|'?: )(\\d+)`);
  return {
    ...place,
    key: `${key} (${name})`,
    read: (span) => {
      const around = span.attributes.tree.get(place.root!);
      if (around instanceof EmbeddedJson && !around.text.includes(name)) return undefined; // avoids parsing it
      const text = read(span);
      const count = typeof text === 'string' ? pattern.exec(text)?.[1] : undefined;
      return count === undefined ? undefined : new JsonNumber(count);
    },
  };
}
