import type { Value } from './values.ts';

/** The arguments of a filter, a test or a method. */
export class Arguments {
  readonly #positional: readonly Value[];
  readonly #named: ReadonlyMap<string, Value>;

  constructor(positional: readonly Value[], named: ReadonlyMap<string, Value> = new Map()) {
    this.#positional = positional;
    this.#named = named;
  }

  /** Functions of the library get their named arguments as the last argument. */
  static of(values: readonly Value[]): Arguments {
    const last = values.at(-1);
    if (last?.type !== 'KeywordArgumentsValue') return new Arguments(values);
    return new Arguments(values.slice(0, -1), last.value as Map<string, Value>);
  }

  get positional(): readonly Value[] {
    return this.#positional;
  }

  get named(): ReadonlyMap<string, Value> {
    return this.#named;
  }

  get(position: number, name: string): Value | undefined {
    return this.#named.get(name) ?? this.#positional[position];
  }

  /** All except the first `count` positional ones. */
  after(count: number): Arguments {
    return new Arguments(this.#positional.slice(count), this.#named);
  }
}
