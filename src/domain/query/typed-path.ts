/**
 * The fields that a path may mean as people type it, or as the page shows it. A dot may be part of a key, as in
 * `attributes.uni.workflow.id`, so such a path also represents the fields in which keys are joined by dots. A path with
 * `["a key"]`, `[0]` or `\.` means one field.
 */
export function fieldsOfTyped(typed: string): string[] {
  const path = withoutBrackets(typed);
  const [root = '', ...keys] = path.split('.');
  const isExact = path !== typed || path.includes('\\') || !payloads.has(root) || keys[0] === 'weave';
  if (isExact || keys.length < 2 || keys.length > keysMax) return [path];
  const joined = keys.flatMap((_, start) =>
    keys.slice(start + 1).map((_, length) => {
      const end = start + length + 2;
      return [...keys.slice(0, start), keys.slice(start, end).join('\\.'), ...keys.slice(end)];
    }),
  );
  return [keys, ...joined].map((each) => [root, ...each].join('.'));
}

const payloads = new Set(['inputs', 'output', 'attributes', 'summary']);

/** A condition reads a payload once for each field. */
const keysMax = 6;

/** `inputs["a.b"][0]` is the field `inputs.a\.b.0`. Brackets after a dot are names of feedback. */
function withoutBrackets(typed: string): string {
  return typed.replaceAll(bracketed, (found, quoted: string | undefined, index: string | undefined) => {
    if (index !== undefined) return `.${index}`;
    try {
      return `.${(JSON.parse(quoted!) as string).replaceAll('.', '\\.')}`;
    } catch {
      return found;
    }
  });
}

const bracketed = /(?<!\.)\[(?:("(?:[^"\\]|\\.)*")|(\d+))\]/g;
