import { isObject } from '../../util/json/own-member.ts';

type Counts = { [name: string]: number | Counts };

/** The sums of counts of tokens by the name of the model, as the summaries of calls have them. */
export function sumUsage(usages: Record<string, object>[]): Record<string, object> {
  return usages.reduce<Counts>((sums, usage) => addCounts(sums, usage), {}) as Record<string, object>;
}

function addCounts(sums: Counts, more: object): Counts {
  const added = { ...sums };
  for (const [name, value] of Object.entries(more)) {
    const before = Object.hasOwn(added, name) ? added[name] : undefined;
    if (isObject(value)) added[name] = addCounts(isObject(before) ? (before as Counts) : {}, value);
    else if (typeof value === 'number') added[name] = value + (typeof before === 'number' ? before : 0);
  }
  return added;
}
