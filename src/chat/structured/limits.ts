/**
 * Limits of the constraints in a request, checked before the grammar library sees them. The library recurses on a stack
 * of 64 KiB, which suffices for about 52 nested objects of a schema, 140 groups of a regular expression, 300 levels of
 * JSON.
 */
export const constraintLimits = {
  regexLength: 1 << 15,
  /** Nested groups of a regular expression or a grammar. */
  groupDepth: 64,
  /** Of one repetition such as `{2,5}`. */
  repetitions: 1_000_000,
  grammarLength: 1 << 17,
  schemaLength: 1 << 18,
  /** The grammar of a schema. */
  writtenLength: 1 << 21,
  /** Nested schemas. */
  schemaDepth: 40,
  /** Nested lists and objects, in a schema with all its values. */
  jsonDepth: 128,
  tagLength: 1 << 18,
  tagDepth: 32,
  /** Tags, triggers or elements of one list. */
  tagListLength: 1_024,
  choices: 10_000,
  whitespaceLength: 1_000,
};

/** @throws if groups are nested too deep or a repetition is too large */
export class GroupCounter {
  #depth = 0;

  open(): void {
    if (++this.#depth > constraintLimits.groupDepth) {
      throw new Error(`its groups are nested more than ${constraintLimits.groupDepth} deep`);
    }
  }

  close(): void {
    this.#depth--;
  }

  /** Takes the text inside `{…}`. */
  repeat(counts: string): void {
    const tooMany = (counts.match(/\d+/g) ?? []).find((count) => Number(count) > constraintLimits.repetitions);
    if (tooMany === undefined) return;
    throw new Error(`it repeats something ${tooMany} times; at most ${constraintLimits.repetitions} are possible`);
  }
}

export function checkLength(text: string, lengthMax: number): void {
  if (text.length > lengthMax) throw new Error(`it is longer than ${lengthMax} characters (${text.length})`);
}

/** Not recursive, so that any depth can be measured. */
export function checkJsonDepth(value: unknown): void {
  const open: [value: unknown, depth: number][] = [[value, 0]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [inside, depth] = next;
    if (typeof inside !== 'object' || inside === null) continue;
    if (depth >= constraintLimits.jsonDepth) {
      throw new Error(`its JSON is nested more than ${constraintLimits.jsonDepth} deep`);
    }
    for (const each of Object.values(inside)) open.push([each, depth + 1]);
  }
}
