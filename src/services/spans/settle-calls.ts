import type { MappedSpan } from '../../otel/mapper/mapped-span.ts';
import { asStep } from '../../otel/mapper/step.ts';
import { spanKey } from '../../otel/span-key.ts';
import type { StepFinder } from '../../otel/step-finder.ts';
import type { Deps } from '../deps.ts';
import type { RoutedGroup } from './route-spans.ts';
import { settleSums } from './settle-sums.ts';

/**
 * Settles the fields of calls that depend on other spans: whether a sum of usage counts, and which calls are steps. The
 * libraries of one program have a group each, so all groups of a project are examined together.
 */
export async function settleCalls(
  { clickhouse, steps }: Pick<Deps, 'clickhouse'> & { steps: StepFinder },
  groups: RoutedGroup[],
): Promise<RoutedGroup[]> {
  const settled = new Map<MappedSpan, MappedSpan>();
  for (const [projectId, of] of Map.groupBy(groups, ({ project }) => project.id)) {
    const calls = of.flatMap(({ spans }) => spans.map(({ call }) => call));
    const standing = await settleSums({ clickhouse }, projectId, calls);
    const around = steps.settle(projectId, calls);
    for (const call of calls) {
      if (standing.has(spanKey(call))) settled.set(call, { ...call, summary: call.summaryAlone });
      else if (around.has(spanKey(call))) settled.set(call, asStep(call));
    }
  }
  if (settled.size === 0) return groups;
  return groups.map((group) => ({
    ...group,
    spans: group.spans.map((span) => ({ ...span, call: settled.get(span.call) ?? span.call })),
  }));
}
