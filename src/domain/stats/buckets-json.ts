import { type Charges, costSums } from './charges.ts';
import { type Measured, shownValues } from './measured.ts';
import type { MeasuredUsage } from './measured-usage.ts';
import type { UsagePlan } from './usage-plan.ts';
import type { Wanted } from './wanted.ts';

/** The rows of each group, which name it; those of all calls where there are no groups. */
export function groupedJson<Each extends Measured>(
  groups: string[] | null,
  measured: Each[],
  json: (measured: Each[]) => Record<string, unknown>[],
): Record<string, unknown>[] {
  if (groups === null) return json(measured);
  const byGroup = Map.groupBy(measured, ({ callGroup }) => callGroup);
  return groups.flatMap((group) => json(byGroup.get(group) ?? []).map((row) => ({ group, ...row })));
}

/** One row for each bucket; `timestamps` says when each starts. */
export function callBucketsJson(
  timestamps: string[],
  wanted: Wanted[],
  measured: Measured[],
): Record<string, unknown>[] {
  const byBucket = new Map(measured.map((each) => [each.bucket, each]));
  return timestamps.map((timestamp, bucket) => {
    const found = byBucket.get(bucket);
    return { timestamp, ...shownValues(wanted, found), count: found?.count ?? 0 };
  });
}

/** One row for each bucket and each model that occurs in any of them, by bucket, then model. */
export function usageBucketsJson(
  timestamps: string[],
  { plan, measured, charges }: { plan: UsagePlan; measured: MeasuredUsage[]; charges: Charges[] },
): Record<string, unknown>[] {
  const chargesOf = Map.groupBy(charges, ({ model }) => model);
  const models = [...Map.groupBy(measured, ({ model }) => model)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([model, usage]) => ({
      model,
      byBucket: new Map(usage.map((each) => [each.bucket, each])),
      charged: Map.groupBy(chargesOf.get(model) ?? [], ({ bucket }) => bucket),
    }));
  return timestamps.flatMap((timestamp, bucket) =>
    models.map(({ model, byBucket, charged }) => {
      const found = byBucket.get(bucket);
      const values = { ...shownValues(plan.shown, found), ...costSums(plan.costs, charged.get(bucket) ?? []) };
      return { timestamp, model, ...values, count: found?.count ?? 0 };
    }),
  );
}
