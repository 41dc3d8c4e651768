/** A text that is made when a request is sent: it may name something that exists by then. */
export type TextSketch = (world: World) => string;
/** The same for the text of a JSON value. */
export type Sketch = (world: World) => string;

export const kindsOfNames = [
  'project',
  'call',
  'trace',
  'op',
  'object',
  'version',
  'table',
  'row',
  'file',
  'feedback',
  'queue',
  'item',
  'price',
  'span',
  'thread',
  'ref',
  'tag',
  'alias',
  'trained model',
  'training job',
  'uploaded file',
  'fine-tuning job',
  'response',
  'openai eval',
  'key',
] as const;
export type NameKind = (typeof kindsOfNames)[number];

/** Names of things that exist, or did: what makes requests meet, so that they find, change and delete. */
export class World {
  readonly entity: string;
  readonly #names: Record<NameKind, string[]>;
  #lastEval = '';

  constructor(entity: string, names: Partial<Record<NameKind, string[]>> = {}) {
    this.entity = entity;
    const own = kindsOfNames.map((kind) => [kind, [...(names[kind] ?? [])]]);
    this.#names = Object.fromEntries(own) as Record<NameKind, string[]>;
  }

  /** One of the names of a kind, the same for the same number until there are more. */
  pick(kind: NameKind, number: number): string {
    const names = this.#names[kind];
    return names[number % names.length] ?? `no-${kind}`;
  }

  /**
   * A part of the name of an eval, which is its id with those of one of its runs and an output item: without this, ids in
   * one path would hardly ever belong together. The first part chooses the eval, the others belong to the last one chosen.
   */
  evalPart(part: 0 | 1 | 2, number: number): string {
    if (part === 0) this.#lastEval = this.pick('openai eval', number);
    return this.#lastEval.split(' ')[part] ?? 'none';
  }

  /** Old names give way: things made lately are used more. */
  add(kind: NameKind, name: unknown): void {
    if (typeof name !== 'string' || name === '') return;
    const names = this.#names[kind];
    if (names.includes(name)) return;
    names.push(name);
    if (names.length > namesMax) names.splice(namesMax / 4, 1); // the first ones are those of the set-up
  }
}

const namesMax = 40;
