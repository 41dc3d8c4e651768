import { membersOf } from '../resources/values.ts';

export type Means = {
  /** Adds the output of a trial (JSON text). */
  add(output: string): void;
  result(): Record<string, { mean: number }>;
};

/**
 * The result of a run: the mean of each scorer's numbers, and of numeric outputs. Booleans do not count as numbers
 * here, and scores that are objects are left out.
 */
export function openMeans(): Means {
  const scores = new Map<string, Sum>();
  const outputs: Sum = { total: 0, count: 0 };
  return {
    add(output) {
      const members = membersOf(output);
      if (members.output?.kind === 'number') addTo(outputs, members.output.text);
      for (const [scorer, value] of Object.entries(membersOf(members.scores ?? null))) {
        if (value.kind !== 'number') continue;
        const sum = scores.get(scorer) ?? { total: 0, count: 0 };
        addTo(sum, value.text);
        scores.set(scorer, sum);
      }
    },
    result() {
      const all = [...scores, ...(outputs.count > 0 ? [['output', outputs] as const] : [])];
      return Object.fromEntries(all.map(([name, { total, count }]) => [name, { mean: total / count }]));
    },
  };
}

type Sum = { total: number; count: number };

function addTo(sum: Sum, digits: string): void {
  sum.total += Number(digits);
  sum.count++;
}
