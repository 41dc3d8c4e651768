import { isNumber, writeJson } from '../../format/json.ts';
/** Where a value is in a JSON document: keys of objects and positions in lists. */
export type JsonPath = readonly (string | number)[];

/** `inputs.messages[0].content`, as the filter reads it; keys that are not plain names are quoted: `inputs["a b"]`. */
export function pathText(path: JsonPath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    if (/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(step)) return text === '' ? step : `${text}.${step}`;
    return `${text}[${writeJson(step)}]`;
  }, '');
}

/** Identifies a path in sets and maps. */
export function pathKey(path: JsonPath): string {
  return writeJson(path);
}

export type Matches = {
  /** The values whose key or text contains what is searched. */
  found: ReadonlySet<string>;
  /** Everything that must be open to see them. */
  above: ReadonlySet<string>;
  isCut: boolean;
};

const foundMax = 500;

/** Searches keys and leaf values of a document for a text, in any case. */
export function searchJson(value: unknown, text: string, root: JsonPath): Matches {
  const sought = text.toLowerCase();
  const found = new Set<string>();
  const above = new Set<string>();
  const visit = (each: unknown, path: JsonPath): void => {
    if (found.size >= foundMax) return;
    const key = path.length > root.length ? String(path.at(-1)) : '';
    const isMatch =
      key.toLowerCase().includes(sought) || (!isContainer(each) && leafText(each).toLowerCase().includes(sought));
    if (isMatch) {
      found.add(pathKey(path));
      for (let length = root.length; length < path.length; length++) above.add(pathKey(path.slice(0, length)));
    }
    for (const [step, member] of entriesOf(each)) visit(member, [...path, step]);
  };
  visit(value, root);
  return { found, above, isCut: found.size >= foundMax };
}

/** Whether a document has more values than can be seen at a glance. */
export function hasManyValues(value: unknown): boolean {
  let left = 12;
  const visit = (each: unknown): boolean => {
    left -= typeof each === 'string' ? 1 + Math.floor(each.length / 400) : 1;
    return left < 0 || entriesOf(each).some(([, member]) => visit(member));
  };
  return visit(value);
}

export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !isNumber(value);
}

export function entriesOf(value: unknown): [string | number, unknown][] {
  if (Array.isArray(value)) return value.map((each, index) => [index, each]);
  return isContainer(value) ? Object.entries(value) : [];
}

/** A leaf as it is searched and copied: texts without quotes. */
export function leafText(value: unknown): string {
  return typeof value === 'string' ? value : writeJson(value);
}

/** A leaf as it is shown: texts without quotes, unless they would look like a number, another value or nothing. */
export function shownLeaf(value: unknown): string {
  return typeof value === 'string' && lookalike.test(value) ? writeJson(value) : leafText(value);
}

const lookalike = /^(?:|true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\s.*|.*\s)$/s;
