import type { ProjectId } from '../../contract/ids.ts';
import type { CallRow } from '../../domain/calls/call-row.ts';
import { asStored } from '../../otel/mapper/as-stored.ts';
import type { MappedSpan } from '../../otel/mapper/mapped-span.ts';
import { mapSpan } from '../../otel/mapper/mapper.ts';
import { asStep, asStepAgain } from '../../otel/mapper/step.ts';
import { parseRawSpan } from '../../otel/parse-raw-span.ts';
import { resourceRunOf } from '../../otel/remap.ts';
import { spanKey } from '../../otel/span-key.ts';
import { findRows } from '../../store/clickhouse/calls/find/find-rows.ts';
import { findReceived, findSpanPlaces, type SpanPlace } from '../../store/clickhouse/calls/find/find-span-places.ts';
import type { CallWrite } from '../../store/clickhouse/calls/write/call-write.ts';
import { openPasses, type Passes } from '../../util/passes.ts';
import type { Deps } from '../deps.ts';
import type { RoutedGroup } from './route-spans.ts';
import { settleSums } from './settle-sums.ts';
import { spanToPart } from './to-part.ts';

type Stores = Pick<Deps, 'calls' | 'clickhouse' | 'identity'>;

/**
 * Settles again, beside other processes, what depends on other spans of a trace: they may have been stored while these were. It is
 * called once these are visible, so of two processes that store a span and its parent, at least one finds both.
 */
export function openSettleStored(stores: Stores): Passes<RoutedGroup, void> {
  return openPasses(async (groups) => {
    for (const [projectId, of] of Map.groupBy(groups, ({ project }) => project.id)) {
      const calls = of.flatMap(({ spans }) => spans.map(({ call }) => call));
      await settleProject(stores, projectId, calls);
    }
  });
}

async function settleProject(stores: Stores, projectId: ProjectId, calls: MappedSpan[]): Promise<void> {
  const { internal } = stores.clickhouse;
  const own = new Set(calls.map(spanKey));
  const inner = calls.filter(
    (call) => affectsOuter(call) && call.parentId !== '' && !own.has(spanKey({ ...call, id: call.parentId })),
  );
  const parents = [...new Set(inner.map(({ parentId }) => parentId))];
  const received = parents.length > 0 ? await findReceived(internal, projectId, parents) : new Set<string>();
  const affected = calls.filter(
    (call) => dependsOnInner(call) || (inner.includes(call) && received.has(call.parentId)),
  );
  const traceIds = [...new Set(affected.map(({ traceId }) => traceId))];
  if (traceIds.length === 0) return;
  // Each round settles what the previous one has changed: a step makes its parent a step.
  for (let round = 0; round < roundsMax; round++) {
    const places = await findSpanPlaces(internal, projectId, traceIds);
    const writes = await findChanges(stores, projectId, affected, places);
    if (writes.length === 0) return;
    await stores.calls.write(writes);
  }
}

const roundsMax = 50;

/** Whether the calls around a span depend on it. */
function affectsOuter({ kind, isCounted, summaryAlone }: MappedSpan): boolean {
  return kind !== '' || isCounted || summaryAlone !== '';
}

function dependsOnInner({ mayBeStep, summaryAlone }: MappedSpan): boolean {
  return mayBeStep || summaryAlone !== '';
}

async function findChanges(
  stores: Stores,
  projectId: ProjectId,
  calls: MappedSpan[],
  places: SpanPlace[],
): Promise<CallWrite[]> {
  const byKey = new Map(places.map((place) => [spanKey(place), place]));
  const children = Map.groupBy(places, (place) => spanKey({ traceId: place.traceId, id: place.parentId }));
  const outer = new Set<SpanPlace>();
  for (const call of calls) {
    for (let place = byKey.get(spanKey(call)); place && !outer.has(place); place = parentOf(place)) outer.add(place);
  }
  function parentOf({ traceId, parentId }: SpanPlace): SpanPlace | undefined {
    return byKey.get(spanKey({ traceId, id: parentId }));
  }
  const spans = [...outer].filter(({ isSpan }) => isSpan);
  const mayBeSteps = spans.filter(
    (place) => !place.hasKind && (children.get(spanKey(place)) ?? []).some((child) => child.isSpan && child.hasKind),
  );
  const mayBeSums = spans.filter((place) => place.hasKind && children.has(spanKey(place)));
  const wanted = [...mayBeSteps.flatMap((place) => [place, ...children.get(spanKey(place))!]), ...mayBeSums];
  if (wanted.length === 0) return [];
  const ids = [...new Set(wanted.map(({ id }) => id))];
  const rows = await findRows(stores.clickhouse.internal, projectId, ids);
  const mapped = new Map(rows.flatMap((row) => mappedRow(row)).map((each) => [each.row.id, each]));
  const kindOf = ({ id }: SpanPlace) => mapped.get(id)?.call.kind ?? '';
  const steps = mayBeSteps.filter(
    (place) =>
      mapped.get(place.id)?.call.mayBeStep && children.get(spanKey(place))!.some((child) => kindOf(child) !== ''),
  );
  const sums = mayBeSums.flatMap(({ id }) => mapped.get(id) ?? []).filter(({ call }) => call.summaryAlone !== '');
  const standing = await settleSums(
    { clickhouse: stores.clickhouse.internal },
    projectId,
    sums.map(({ call }) => call),
  );
  const project = (await stores.identity.projectName(projectId)) ?? '';
  return [
    ...steps.map(({ id }) => toWrite(project, mapped.get(id)!, asStep(mapped.get(id)!.call))),
    ...sums.flatMap((each) => {
      const { call, row } = each;
      const [summary, other] = standing.has(spanKey(call))
        ? [call.summaryAlone, call.summary]
        : [call.summary, call.summaryAlone];
      return row.summary === other && summary !== other ? [toWrite(project, each, { ...call, summary })] : [];
    }),
  ];
}

type MappedRow = { row: CallRow; call: MappedSpan; resourceRun: string };

function mappedRow(row: CallRow): MappedRow[] {
  const span = row.isDeleted || row.mapperVersion === 0 ? null : parseRawSpan(row.otelDump);
  if (span === null) return [];
  const call = asStored(asStepAgain(mapSpan(span), row.attributes), row, span.traceId);
  return [{ row, call, resourceRun: resourceRunOf(span) }];
}

function toWrite(project: string, { row, resourceRun }: MappedRow, call: MappedSpan): CallWrite {
  const { projectId, id, opName, wbUserId: userId, otelDump: raw } = row;
  const part = spanToPart({ call, raw }, { project, userId, opName, resourceRun });
  return { projectId, id, part, yieldsToSdk: true };
}
