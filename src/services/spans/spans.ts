import type { SpanExplanation } from '../../otel/mapper/explain.ts';
import type { SpanGroup } from '../../otel/read-export.ts';
import type { EventGroup } from '../../otel/read-logs.ts';
import type { RemapReport } from '../../otel/remap.ts';
import { openStepFinder } from '../../otel/step-finder.ts';
import { insertAgentSpans } from '../../store/clickhouse/spans/agent-spans.ts';
import { Failure } from '../../util/failures.ts';
import type { Deps } from '../deps.ts';
import type { Project } from '../owner.ts';
import { agentSpanRow } from './agent-span-row.ts';
import { explainCall, explainEverywhere } from './explain-span.ts';
import { openEventJoiner } from './join-events.ts';
import { type Ops, openOps, opRef } from './ops.ts';
import { remapCalls } from './remap-calls.ts';
import { type RoutedGroup, routeEvents, routeSpans, type Sender } from './route-spans.ts';
import { settleCalls } from './settle-calls.ts';
import { openSettleStored } from './settle-stored.ts';
import { openSpanWriter, type SpanWrite } from './span-twins.ts';
import { spanToPart } from './to-part.ts';

/** Operations on OpenTelemetry spans. */
export type Spans = {
  /** Stores spans as calls. @throws Failure if none of them has a project */
  store(groups: SpanGroup[], sender: Sender): Promise<StoredSpans>;
  /**
   * Stores the complete spans of agents, and shows each as a call unless an SDK itself traces a call with the same id.
   * @throws Failure if none of them has a project
   */
  storeOfAgents(groups: SpanGroup[], sender: Sender): Promise<StoredSpans>;
  /**
   * Stores log records that are events of spans, and adds them to the calls of spans that are already stored.
   * @throws Failure if none of them has a project
   */
  storeEvents(groups: EventGroup[], sender: Sender): Promise<{ refused: number; reasons: string[] }>;
  /** What the mapper made of a call's span. @throws Failure if there is no such call */
  explain(project: Project, callId: string): Promise<SpanExplanation>;
  /** The same for each project that has a call with this id. */
  explainEverywhere(callId: string): Promise<(SpanExplanation & { project: string })[]>;
  /** Converts calls again that an older mapper made. Writes only if `writes` is set. */
  remap(options: { writes: boolean }): Promise<RemapReport>;
};

/** How many spans have a project, and the reason for each that cannot be stored. */
type StoredSpans = { routed: number; refused: string[] };

export function openSpans(deps: Deps): Spans {
  const ops = openOps(deps);
  const steps = openStepFinder();
  const writer = openSpanWriter(deps);
  const joiner = openEventJoiner(deps);
  const settleStored = openSettleStored(deps);

  /** Everything that happens to a batch of spans. Each pass is a file of this folder. */
  async function store(groups: SpanGroup[], sender: Sender, { areOfAgents }: { areOfAgents: boolean }) {
    const { userId } = sender.caller;
    const { routed, refused } = await routeSpans(deps, groups, sender);
    if (areOfAgents) await insertAgentSpans(deps.inserter, agentSpanRows(routed, userId));
    const settled = await settleCalls({ clickhouse: deps.clickhouse.internal, steps }, routed);
    const writes = await toWrites(ops, settled, userId, areOfAgents);
    const outcomes = await writer.write(writes);
    if (!deps.peers.isAlone) await settleStored(settled);
    for (const { project, spans } of settled) {
      await joiner.spansStored(
        project.id,
        spans.map(({ call }) => call.id),
      );
    }
    return { routed: writes.length, refused: [...refused, ...refusals(writes, outcomes)] };
  }

  return {
    store: (groups, sender) => store(groups, sender, { areOfAgents: false }),
    storeOfAgents: (groups, sender) => store(groups, sender, { areOfAgents: true }),
    async storeEvents(groups, sender) {
      const { rows, ...rejected } = await routeEvents(deps, groups, sender);
      await joiner.receive(rows);
      return rejected;
    },
    explain: (project, callId) => explainCall(deps, project, callId),
    explainEverywhere: (callId) => explainEverywhere(deps, callId),
    remap: (options) => remapCalls(deps, ops, options),
  };
}

function agentSpanRows(groups: RoutedGroup[], userId: string) {
  return groups.flatMap(({ project, spans }) =>
    spans.map((span) => agentSpanRow(span, { projectId: project.id, userId })),
  );
}

/** The writes of calls with their ops, which are created if they do not exist. */
async function toWrites(ops: Ops, groups: RoutedGroup[], userId: string, yieldsToSdk: boolean): Promise<SpanWrite[]> {
  const writes: SpanWrite[] = [];
  for (const { project, resource, spans } of groups) {
    const opIds = new Set(spans.map(({ call }) => call.opId));
    const digests = await ops.ensure({ projectId: project.id, userId }, opIds);
    for (const read of spans) {
      const { call, span } = read;
      const opName = opRef(project.name, call.opId, digests.get(call.opId)!);
      const part = spanToPart(read, { project: project.name, userId, opName, resourceRun: resource.run });
      writes.push({
        read,
        write: { projectId: project.id, id: call.id, part, spanTraceId: span.traceId, yieldsToSdk },
      });
    }
  }
  return writes;
}

function refusals(writes: SpanWrite[], outcomes: unknown[]): string[] {
  return outcomes.flatMap((outcome, i) =>
    outcome instanceof Failure ? `Rejected span (span_id='${writes[i]!.write.id}'): ${outcome.message}` : [],
  );
}
