import type { RawSpan } from '../raw-span.ts';
import { opened, plainText, type Tree, type TreeObject, valueAt } from '../tree.ts';
import { type Found, findFirst, sourcesByName } from './find.ts';

export const recognisedSources = sourcesByName(({ attributes }) => attributes);
export const labelSources = sourcesByName(({ labels }) => labels);

/** What the conventions know about a span besides its payloads; empty if none of them describes it. */
export function recognisedAttributes(span: RawSpan): [name: string, found: Found][] {
  return found(span, recognisedSources);
}

export function labelsOf(span: RawSpan): [name: string, found: Found][] {
  return found(span, labelSources);
}

/** The attributes to show: the recognized ones, or all if none was recognized, overridden by the user's own. */
export function attributesToShow(span: RawSpan, recognised: TreeObject, isUnderstood: boolean): TreeObject {
  const labelled = asMembers(labelsOf(span));
  const shown = isUnderstood ? new Map([...recognised, ...labelled]) : new Map([...labelled, ...span.attributes.tree]);
  const own = opened(valueAt(span.attributes.tree, ['wandb', 'attributes']));
  if (own instanceof Map) for (const [key, value] of own) shown.set(key, value);
  return shown;
}

/** The model whose tokens were used; empty if none is named. */
export function modelOf(attributes: TreeObject): string {
  return plainText(attributes.get('model')) || plainText(valueAt(attributes, ['model_parameters', 'model']));
}

export function asMembers(found: [name: string, found: Found][]): [name: string, value: Tree][] {
  return found.map(([name, { value }]) => [name, value]);
}

function found(span: RawSpan, table: ReturnType<typeof sourcesByName>): [name: string, found: Found][] {
  const members: [string, Found][] = [];
  for (const [name, sources] of table) {
    const first = findFirst(span, sources);
    if (first !== null) members.push([name, first]);
  }
  return members;
}
