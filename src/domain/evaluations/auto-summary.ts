import { isObject } from '../../util/json/own-member.ts';

/**
 * Summarizes one value per trial, like `auto_summarize` of the Python SDK: numbers become their mean, booleans their
 * count and fraction, objects are summarized by member. Other values have no summary. The first value decides the kind.
 */
export class AutoSummary {
  /** Values that are not null. */
  #values = 0;
  #kind: 'boolean' | 'number' | 'object' | 'other' | null = null;
  #sum = 0;
  #members = new Map<string, AutoSummary>();

  add(value: unknown): void {
    if (value === null || value === undefined) return;
    this.#values++;
    this.#kind ??= kindOf(value);
    if (this.#kind === 'boolean') this.#sum += value ? 1 : 0;
    if (this.#kind === 'number') this.#sum += Number(value);
    if (this.#kind !== 'object' || !isObject(value)) return;
    for (const [name, member] of Object.entries(value)) {
      const summary = this.#members.get(name) ?? new AutoSummary();
      summary.add(member);
      this.#members.set(name, summary);
    }
  }

  /** @param unscored trials without a value; they count in the denominator of fractions */
  result(unscored = 0): Record<string, unknown> | null {
    switch (this.#kind) {
      case 'boolean':
        return { true_count: this.#sum, true_fraction: this.#sum / (this.#values + unscored) };
      case 'number':
        return { mean: this.#sum / this.#values };
      case 'object':
        return this.#membersResult(unscored);
      default:
        return null;
    }
  }

  #membersResult(unscored: number): Record<string, unknown> | null {
    const found: Record<string, unknown> = {};
    for (const [name, member] of this.#members) {
      const result = member.result(unscored);
      if (result !== null) Object.assign(found, Object.hasOwn(result, name) ? result : { [name]: result });
    }
    return Object.keys(found).length === 0 ? null : found;
  }
}

function kindOf(value: unknown): 'boolean' | 'number' | 'object' | 'other' {
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number') return 'number';
  return isObject(value) ? 'object' : 'other';
}
