import type { Context } from '../../context.ts';
import { ApiError } from '../../contract/errors.ts';
import type { otelTraces } from '../../contract/otel/traces.ts';
import { formatRef } from '../../domain/refs.ts';
import type { Handler, Input } from '../../http/bind.ts';
import type { EncodedAnswer } from '../../http/send.ts';
import type { Caller } from '../../identity/identity.ts';
import { encodeRefusal, encodingOf, mediaTypes, type OtlpEncoding, type Refusal } from '../../otel/decode/export.ts';
import type { MappedSpan } from '../../otel/mapper/mapper.ts';
import { asStep } from '../../otel/mapper/step.ts';
import { readBody } from '../../otel/reader/read-body.ts';
import type { StepFinder } from '../../otel/step-finder.ts';
import type { CallWrite } from '../../store/clickhouse/calls/call-writer.ts';
import type { Intake } from './intake.ts';
import type { EventJoiner } from './join-events.ts';
import { projectHeader, type RoutedGroup, routeSpans } from './route-spans.ts';
import { settleSums } from './settle-sums.ts';
import { spanToPart } from './to-part.ts';

/** Stores spans as the calls that they are; what cannot be stored is counted in the answer. */
export function exportTraces(context: Context, intake: Intake): Handler<typeof otelTraces> {
  return async (input) => {
    const { groups, encoding, refused } = await receiveSpans(context, input);
    await writeSpans(context, await callsOf(context, intake, groups, input.caller), refused);
    await joinEvents(intake.joiner, groups);
    const refusal = refusalOf(refused, context.log);
    const { count, message } = refusal;
    const partial = count === 0 ? null : { rejected_spans: count, error_message: message };
    return encodedAnswer(encoding, refusal, { partial_success: partial });
  };
}

/**
 * Decodes an export and finds the project of each of its spans.
 * @throws ApiError 400 when the body cannot be read, 400 or 403 when none of its spans has a project.
 */
export async function receiveSpans(
  { config, identity }: Pick<Context, 'config' | 'identity'>,
  { body, caller, raw: { headers } }: Input<typeof otelTraces>,
): Promise<{ groups: RoutedGroup[]; encoding: OtlpEncoding; refused: string[] }> {
  const encoding = encodingOf(headers['content-type'] ?? '', body);
  const { groups, refused } = await readBody('traces', body, { encoding, redacts: config.redactCredentials });
  const routed = await routeSpans(groups, { identity, caller, header: projectHeader(headers) }, refused);
  return { groups: routed, encoding, refused };
}

/** Stores the calls of spans; those that the store cannot hold join the refused. */
export async function writeSpans(
  { calls }: Pick<Context, 'calls'>,
  writes: CallWrite[],
  refused: string[],
): Promise<void> {
  for (const [i, outcome] of (await calls.writeEach(writes)).entries()) {
    if (outcome instanceof ApiError) refused.push(`Rejected span (span_id='${writes[i]!.id}'): ${outcome.message}`);
  }
}

/** In the encoding of the request; JSON has a shape of its own for each endpoint. */
export function encodedAnswer(encoding: OtlpEncoding, refusal: Refusal, json: object): EncodedAnswer {
  const body = encoding === 'json' ? JSON.stringify(json) : encodeRefusal(refusal);
  return { mediaType: mediaTypes[encoding], body };
}

/** Adds the events that came before these spans, which are stored by now. */
export async function joinEvents(joiner: EventJoiner, groups: RoutedGroup[]): Promise<void> {
  for (const { project, spans } of groups) {
    const ids = spans.map(({ call }) => call.id);
    await joiner.spansStored(project.id, ids);
  }
}

/** The calls of spans, with their ops, which are made where there are none. */
export async function callsOf(
  context: Pick<Context, 'clickhouse'>,
  { ops, steps }: Intake,
  groups: RoutedGroup[],
  { userId }: Caller,
): Promise<CallWrite[]> {
  const writes: CallWrite[] = [];
  const settled = await settle({ clickhouse: context.clickhouse.internal }, steps, groups);
  for (const { project, resource, spans } of groups) {
    const opIds = new Set(spans.map(({ call }) => call.opId));
    const digests = await ops.ensure({ projectId: project.id, userId }, opIds);
    for (const { call: mapped, raw } of spans) {
      const call = settled.get(mapped) ?? mapped;
      const opName = opRef(project.name, call.opId, digests.get(call.opId)!);
      const part = spanToPart({ call, raw }, { project: project.name, userId, opName, resourceRun: resource.run });
      writes.push({ projectId: project.id, id: call.id, part });
    }
  }
  return writes;
}

/**
 * The calls that come out otherwise than from their spans alone: sums that stand, and steps. Libraries of one program have
 * a group each, so all groups of a project are looked at together.
 */
async function settle(
  context: Pick<Context, 'clickhouse'>,
  steps: StepFinder,
  groups: RoutedGroup[],
): Promise<Map<MappedSpan, MappedSpan>> {
  const settled = new Map<MappedSpan, MappedSpan>();
  for (const [projectId, of] of Map.groupBy(groups, ({ project }) => project.id)) {
    const calls = of.flatMap(({ spans }) => spans.map(({ call }) => call));
    const standing = await settleSums(context, projectId, calls);
    const around = steps.settle(projectId, calls);
    for (const call of calls) {
      if (standing.has(call.id)) settled.set(call, { ...call, summary: call.summaryAlone });
      else if (around.has(call.id)) settled.set(call, asStep(call));
    }
  }
  return settled;
}

function opRef(name: string, opId: string, digest: string): string {
  const [entity, project] = name.split('/') as [string, string];
  return formatRef({ entity, project, kind: 'op', name: opId, digest, steps: [] });
}

const messagesMax = 20;

/** What is answered of refused spans, and logged: spans and reasons, without payloads. */
export function refusalOf(refused: string[], log: Context['log']): Refusal {
  const message = refused.slice(0, messagesMax).join('; ') + (refused.length > messagesMax ? '; ...' : '');
  if (refused.length > 0) log.warn({ refused: refused.length, reasons: message }, 'rejected spans of an export');
  return { count: refused.length, message };
}
