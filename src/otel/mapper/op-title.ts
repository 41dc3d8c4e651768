import type { RawSpan } from '../raw-span.ts';
import { plainText, type Tree, valueAt } from '../tree.ts';

/**
 * The readable name of a span. Some libraries name spans by a template, `Function: {name}`. Fields that name a tool, an
 * agent or a model are filled in, so that each has its own op; fields that differ between calls are removed.
 */
export function titleOf({ name: sent, attributes: { tree } }: RawSpan): string {
  const name = withoutIds(sent);
  if (!name.includes('{')) return name;
  const filled = name.replaceAll(/\{([^{}]*)\}(\w*)/g, (_whole, field: string, rest: string) => {
    const path = pathOf(field);
    if (!nameFields.has(path.at(-1)!)) return '';
    const value: Tree | undefined = tree.get(path.join('.')) ?? valueAt(tree, path);
    const text = plainText(value);
    return text.length <= nameCharsMax && !/[\r\n]/.test(text) ? text + rest : '';
  });
  const title = filled
    .replaceAll(/\s+/g, ' ')
    .replace(/[\s:,'"(-]+$/, '')
    .trim();
  return title === '' ? name : title;
}

/** `Crew_6f1c….kickoff` would be a new op each time. */
function withoutIds(name: string): string {
  if (name.length < uuidChars || !uuid.test(name)) return name;
  const title = name.replaceAll(uuids, '').replace(/^[\s:_./-]+/, '');
  return title === '' ? name : title;
}

const uuidChars = 36;
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;
const uuids = new RegExp(`[\\s:_/-]*${uuid.source}`, 'gi');

/** Fields with few different values. */
const nameFields = new Set([
  'name',
  'model',
  'tool',
  'tool_name',
  'agent',
  'agent_name',
  'model_name',
  'operation',
  'function',
]);
const nameCharsMax = 64;

/** `gen_ai.request.model!r` and `request_data[model]` as the keys that lead to the value. */
function pathOf(field: string): string[] {
  const path = field.replace(/[!:=].*$/s, '').replaceAll(/\[['"]?([^\]'"]*)['"]?\]/g, '.$1');
  return path.split('.').map((key) => key.trim());
}
