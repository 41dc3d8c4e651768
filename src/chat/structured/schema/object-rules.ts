import { choice, type Expression, empty, nothing, repeat, sequence } from './grammar-rules.ts';

export type MemberRules = {
  /** The listed members in their order. */
  members: readonly { isRequired: boolean; pair: Expression }[];
  /** One unlisted member, or null if none is allowed. */
  other: Expression | null;
  /** The allowed number of members. */
  counts: readonly [min: number, max: number | null];
  comma: Expression;
  /** @returns a reference to a new rule */
  addRule(body: Expression): Expression;
  /** For errors. */
  place: string;
};

/** The contents of an object: listed members in their order, then others. */
export function memberRules(options: MemberRules): Expression {
  const { members, other, place } = options;
  const [min, max] = options.counts;
  const required = members.filter(({ isRequired }) => isRequired).length;
  // The same name twice is one member, so only the first of the others is certain to count.
  if (min > members.length + (other ? 1 : 0)) {
    throw new Error(`${place}/minProperties ${min} cannot be enforced while generating`);
  }
  const isCounted = min > required || (max !== null && (other !== null || max < members.length));
  return new Members(options, isCounted ? [min, max] : [0, null]).after(0, 0);
}

class Members {
  readonly #options: MemberRules;
  readonly #min: number;
  readonly #max: number | null;
  readonly #known = new Map<string, Expression>();

  constructor(options: MemberRules, [min, max]: [number, number | null]) {
    this.#options = options;
    this.#min = min;
    this.#max = max;
  }

  /** The contents from the member at `index` on, after `count` members. */
  after(index: number, count: number): Expression {
    const { members } = this.#options;
    const needed = members.findIndex(({ isRequired }, at) => at >= index && isRequired);
    if (needed === index) return this.#member(index, count);
    const last = needed === -1 ? members.length - 1 : needed;
    const options = Array.from({ length: last - index + 1 }, (_, at) => this.#member(index + at, count));
    if (needed === -1) options.push(this.#others(count));
    return choice(options);
  }

  #member(index: number, count: number): Expression {
    const { members, comma } = this.#options;
    if (this.#max !== null && count >= this.#max) return nothing;
    const { pair } = members[index]!;
    // Counts matter only up to the bounds; without bounds, only whether there is a member.
    const isCounted = this.#min > 0 || this.#max !== null;
    const rest = this.#rest(index + 1, isCounted ? count + 1 : 1);
    return sequence(...(count > 0 ? [comma] : []), pair, rest);
  }

  /** Uses a rule if several members lead here. */
  #rest(index: number, count: number): Expression {
    const { members, addRule } = this.#options;
    if (index === members.length && this.#options.other === null) return count < this.#min ? nothing : empty;
    const isOnlyWay = index === 1 || (members[index - 1]!.isRequired && members[index - 2]!.isRequired);
    if (isOnlyWay && members[index]?.isRequired) return this.after(index, count);
    const key = `${index}:${count}`;
    const known = this.#known.get(key);
    if (known) return known;
    const made = addRule(this.after(index, count));
    this.#known.set(key, made);
    return made;
  }

  #others(count: number): Expression {
    const { other, comma } = this.#options;
    const least = Math.max(0, this.#min - count);
    const most = this.#max === null ? null : this.#max - count;
    if (most !== null && most < 0) return nothing;
    if (other === null || most === 0) return least > 0 ? nothing : empty;
    if (least > 1) return nothing;
    const following = sequence(comma, other);
    if (count > 0) return repeat(following, least, most);
    const some = sequence(other, repeat(following, 0, most === null ? null : most - 1));
    return least > 0 ? some : repeat(some, 0, 1);
  }
}
