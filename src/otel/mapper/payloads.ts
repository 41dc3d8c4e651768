import type { RawSpan } from '../raw-span.ts';
import { opened, writeMembers, writeTree } from '../tree.ts';
import { type Found, findFirst, sourcesOf } from './find.ts';

const inputSources = sourcesOf(({ inputs }) => inputs);
const outputSources = sourcesOf(({ output }) => output);

/** The value under the key it was found at; of a generic key an object stands for itself. Null when there is none. */
export function inputsOf(span: RawSpan): string | null {
  const found = findFirst(span, inputSources);
  if (found === null) return null;
  return found.source.isWhole && opened(found.value) instanceof Map ? writeTree(found.value) : keyed(found);
}

/** As the inputs, but of a generic key every value stands for itself. */
export function outputOf(span: RawSpan): string | null {
  const found = findFirst(span, outputSources);
  if (found === null) return null;
  return found.source.isWhole ? writeTree(found.value) : keyed(found);
}

function keyed({ source, value }: Found): string {
  return writeMembers([[source.key, value]]);
}
