import type { ProjectId } from '../../contract/ids.ts';
import type { CallRow } from '../../domain/calls/call-row.ts';
import { spanCallId } from '../../domain/calls/ids.ts';
import { asStored } from '../../otel/mapper/as-stored.ts';
import { mapSpan } from '../../otel/mapper/mapper.ts';
import { asStepAgain } from '../../otel/mapper/step.ts';
import { resourceRunOf } from '../../otel/remap.ts';
import { withEvents } from '../../otel/with-events.ts';
import { writeRawSpan } from '../../otel/write-raw-span.ts';
import { findRows } from '../../store/clickhouse/calls/find/find-rows.ts';
import type { CallWrite } from '../../store/clickhouse/calls/write/call-write.ts';
import {
  insertSpanEvents,
  newestSpansWithEvents,
  readSpanEvents,
  type SpanEventRow,
} from '../../store/clickhouse/spans/span-events.ts';
import { openPasses } from '../../util/passes.ts';
import type { Deps } from '../deps.ts';
import { spanToPart } from './to-part.ts';

/** Joins spans with events that arrive separately, as log records, in either order. */
export type EventJoiner = {
  /** Stores events, and adds them to the calls of spans that are already stored. */
  receive(rows: SpanEventRow[]): Promise<void>;
  /** Adds events that arrived earlier to spans that have just been stored. */
  spansStored(projectId: string, spanIds: string[]): Promise<void>;
};

type Stores = Pick<Deps, 'calls' | 'clickhouse' | 'identity' | 'inserter' | 'peers'>;

/**
 * Events are durable before the span is looked up, and a span is visible before its events are looked up, so one of the
 * two finds the other. One pass at a time rewrites calls, because each pass builds on what it has read. Other processes make
 * passes of their own, so beside them each looks again once it has written.
 */
export function openEventJoiner(stores: Stores): EventJoiner {
  /** Remembers which spans have separate events, so that a span without any costs no query if no other process stores any. */
  const known = new Set<string>();
  let isComplete = stores.peers.isAlone;
  let loading: Promise<void> | null = null;

  async function load(): Promise<void> {
    if (!stores.peers.isAlone) return;
    loading ??= newestSpansWithEvents(stores.clickhouse.internal, knownMax).then(
      (spans) => {
        for (const { projectId, spanId } of spans) remember(projectId, spanId);
      },
      (error) => {
        loading = null;
        throw error;
      },
    );
    return loading;
  }

  function remember(projectId: string, spanId: string): void {
    if (!isComplete) return;
    known.add(`${projectId}/${spanId}`);
    if (known.size < knownMax) return;
    isComplete = false;
    known.clear();
  }

  const join = openPasses(async (spans: { projectId: string; spanId: string }[]) => {
    for (const [projectId, of] of Map.groupBy(spans, (span) => span.projectId)) {
      await joinSpans(stores, projectId as ProjectId, [...new Set(of.map(({ spanId }) => spanId))]);
    }
  });

  return {
    async receive(rows) {
      if (rows.length === 0) return;
      await load();
      await insertSpanEvents(stores.inserter, rows);
      for (const { projectId, spanId } of rows) remember(projectId, spanId);
      await join(rows);
    },
    async spansStored(projectId, spanIds) {
      await load();
      const waited = isComplete ? spanIds.filter((id) => known.has(`${projectId}/${id}`)) : spanIds;
      if (waited.length > 0) await join(waited.map((spanId) => ({ projectId, spanId })));
    },
  };
}

/** How many spans with events are remembered. With more, none is, and each export of spans queries the store. */
const knownMax = 200_000;
const spansMax = 500;

async function joinSpans(stores: Stores, projectId: ProjectId, spanIds: string[]): Promise<void> {
  for (let from = 0; from < spanIds.length; from += spansMax) {
    const ids = spanIds.slice(from, from + spansMax);
    const events = await readSpanEvents(stores.clickhouse.internal, projectId, ids);
    if (events.size === 0) continue;
    const project = (await stores.identity.projectName(projectId)) ?? '';
    const byCall = new Map([...events].flatMap(([spanId, of]) => callIdsOf(spanId, of).map((id) => [id, of])));
    const rows = await findRows(stores.clickhouse.internal, projectId, [...byCall.keys()]);
    const writes = rows.flatMap((row) => writeFor(row, project, byCall.get(row.id) ?? []) ?? []);
    if (writes.length === 0) continue;
    await stores.calls.write(writes);
    if (!stores.peers.isAlone) from -= spansMax; // another process may have joined other events at the same time
  }
}

/** The ids that calls of a span id can have, see `SpanWriter`. */
function callIdsOf(spanId: string, events: { traceId: string }[]): string[] {
  return [spanId, ...events.map(({ traceId }) => spanCallId(traceId, spanId))];
}

function writeFor(row: CallRow, project: string, events: { traceId: string; event: string }[]): CallWrite | null {
  if (row.isDeleted || row.mapperVersion === 0) return null;
  const span = withEvents(row.otelDump, events);
  if (span === null) return null;
  const { opName, wbUserId: userId, projectId, id } = row;
  const mapped = asStored(asStepAgain(mapSpan(span), row.attributes), row, span.traceId);
  const call = row.summary === mapped.summaryAlone ? { ...mapped, summary: row.summary } : mapped;
  const owner = { project, userId, opName, resourceRun: resourceRunOf(span) };
  return { projectId, id, part: spanToPart({ call, raw: writeRawSpan(span) }, owner), yieldsToSdk: true };
}
