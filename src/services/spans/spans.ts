import { formatRef } from '../../domain/refs.ts';
import type { SpanExplanation } from '../../otel/mapper/explain.ts';
import type { MappedSpan } from '../../otel/mapper/mapped-span.ts';
import { asStep } from '../../otel/mapper/step.ts';
import type { RemapReport } from '../../otel/remap.ts';
import { spanKey } from '../../otel/span-key.ts';
import { openStepFinder, type StepFinder } from '../../otel/step-finder.ts';
import { insertAgentSpans } from '../../store/clickhouse/spans/agent-spans.ts';
import type { SpanEventRow } from '../../store/clickhouse/spans/span-events.ts';
import { Failure } from '../../util/failures.ts';
import type { Deps } from '../deps.ts';
import type { Project } from '../owner.ts';
import { agentSpanRow } from './agent-span-row.ts';
import { explainCall, explainEverywhere } from './explain-span.ts';
import { openEventJoiner } from './join-events.ts';
import { type Ops, openOps } from './ops.ts';
import { remapCalls } from './remap-calls.ts';
import type { RoutedGroup } from './route-spans.ts';
import { settleSums } from './settle-sums.ts';
import { openSpanWriter, type SpanWrite } from './span-twins.ts';
import { spanToPart } from './to-part.ts';

/** Operations on OpenTelemetry spans. */
export type Spans = {
  /** Converts spans to calls and stores them with their ops. Returns the reason for each that cannot be stored. */
  store(groups: RoutedGroup[], userId: string): Promise<string[]>;
  /**
   * Stores the complete spans of agents, and shows each as a call unless an SDK itself traces a call with the same id.
   */
  storeOfAgents(groups: RoutedGroup[], userId: string): Promise<string[]>;
  /** Stores log records that are events of spans, and adds them to the calls of spans that are already stored. */
  storeEvents(events: SpanEventRow[]): Promise<void>;
  /** What the mapper made of a call's span. @throws Failure if there is no such call */
  explain(project: Project, callId: string): Promise<SpanExplanation>;
  /** The same for each project that has a call with this id. */
  explainEverywhere(callId: string): Promise<(SpanExplanation & { project: string })[]>;
  /** Converts calls again that an older mapper made. Writes only if `writes` is set. */
  remap(options: { writes: boolean }): Promise<RemapReport>;
};

export function openSpans(deps: Deps): Spans {
  const ops = openOps(deps);
  const joiner = openEventJoiner(deps);
  const steps = openStepFinder();
  const writer = openSpanWriter(deps);

  async function write(groups: RoutedGroup[], spans: SpanWrite[]): Promise<string[]> {
    const refused: string[] = [];
    for (const [i, outcome] of (await writer.write(spans)).entries()) {
      if (outcome instanceof Failure)
        refused.push(`Rejected span (span_id='${spans[i]!.write.id}'): ${outcome.message}`);
    }
    for (const { project, spans } of groups) {
      const ids = spans.map(({ call }) => call.id);
      await joiner.spansStored(project.id, ids); // adds events that arrived before these spans
    }
    return refused;
  }

  return {
    async store(groups, userId) {
      return write(groups, await callsOf(deps, { ops, steps }, groups, userId));
    },
    async storeOfAgents(groups, userId) {
      const rows = groups.flatMap(({ project, spans }) =>
        spans.map((span) => agentSpanRow(span, { projectId: project.id, userId })),
      );
      await insertAgentSpans(deps.inserter, rows);
      const writes = await callsOf(deps, { ops, steps }, groups, userId);
      return write(
        groups,
        writes.map(({ read, write: each }) => ({ read, write: { ...each, yieldsToSdk: true } })),
      );
    },
    storeEvents: (events) => joiner.receive(events),
    explain: (project, callId) => explainCall(deps, project, callId),
    explainEverywhere: (callId) => explainEverywhere(deps, callId),
    remap: (options) => remapCalls(deps, ops, options),
  };
}

/** State that is kept between exports. */
type Memory = { ops: Ops; steps: StepFinder };

/** The calls of spans with their ops, which are created if they do not exist. */
async function callsOf(
  deps: Deps,
  { ops, steps }: Memory,
  groups: RoutedGroup[],
  userId: string,
): Promise<SpanWrite[]> {
  const writes: SpanWrite[] = [];
  const settled = await settle({ clickhouse: deps.clickhouse.internal }, steps, groups);
  for (const { project, resource, spans } of groups) {
    const opIds = new Set(spans.map(({ call }) => call.opId));
    const digests = await ops.ensure({ projectId: project.id, userId }, opIds);
    for (const read of spans) {
      const { call: mapped, raw, span } = read;
      const call = settled.get(mapped) ?? mapped;
      const opName = opRef(project.name, call.opId, digests.get(call.opId)!);
      const part = spanToPart({ call, raw }, { project: project.name, userId, opName, resourceRun: resource.run });
      writes.push({ read, write: { projectId: project.id, id: call.id, part, spanTraceId: span.traceId } });
    }
  }
  return writes;
}

/**
 * Calls whose fields depend on other spans: sums of usage that count, and steps. The libraries of one program have a
 * group each, so all groups of a project are examined together.
 */
async function settle(
  deps: Pick<Deps, 'clickhouse'>,
  steps: StepFinder,
  groups: RoutedGroup[],
): Promise<Map<MappedSpan, MappedSpan>> {
  const settled = new Map<MappedSpan, MappedSpan>();
  for (const [projectId, of] of Map.groupBy(groups, ({ project }) => project.id)) {
    const calls = of.flatMap(({ spans }) => spans.map(({ call }) => call));
    const standing = await settleSums(deps, projectId, calls);
    const around = steps.settle(projectId, calls);
    for (const call of calls) {
      if (standing.has(spanKey(call))) settled.set(call, { ...call, summary: call.summaryAlone });
      else if (around.has(spanKey(call))) settled.set(call, asStep(call));
    }
  }
  return settled;
}

function opRef(name: string, opId: string, digest: string): string {
  const [entity, project] = name.split('/') as [string, string];
  return formatRef({ entity, project, kind: 'op', name: opId, digest, steps: [] });
}
