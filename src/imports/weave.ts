import { feedbackCreateSchema } from '../contract/feedback/feedback.ts';
import { keepTreeOf } from '../contract/keep-tree.ts';
import { validate } from '../contract/validate.ts';
import { invalidInput } from '../util/failures.ts';
import { isObject } from '../util/json/own-member.ts';
import { parseJson } from '../util/json/parse.ts';
import { toJson } from '../util/json/write.ts';
import { parseTimestamp } from '../util/timestamp.ts';
import type { ImportItem, ReadRecord } from './item.ts';
import { asObject, type Members, member, textAt, timeAt, valueAt } from './values.ts';

/**
 * Calls of Weave, as `/calls/stream_query` and `client.get_calls()` return them; with `include_feedback`, their
 * feedback too. Refs to the exported project, in the names of ops and in feedback, become refs to the new one.
 */
export const readWeaveRecord: ReadRecord = (text, { project }) => {
  const members = parseJson(text, { keep: { '*': true } }) as Members;
  const id = textAt(members, 'id');
  const startedAt = timeAt(members, 'started_at');
  const opName = textAt(members, 'op_name');
  if (id === null || startedAt === null || opName === null) {
    throw invalidInput('not a call of Weave: id, op_name and started_at are required');
  }
  if (member(members, 'deleted_at') !== null) return [];
  const from = textAt(members, 'project_id');
  const summary = valueAt(members, 'summary');
  const start = {
    id,
    traceId: textAt(members, 'trace_id') ?? id,
    parentId: textAt(members, 'parent_id'),
    threadId: textAt(members, 'thread_id'),
    turnId: textAt(members, 'turn_id'),
    opName: moved(opName, from, project),
    displayName: textAt(members, 'display_name'),
    startedAt,
    attributes: asObject(member(members, 'attributes'), 'value').text,
    inputs: asObject(member(members, 'inputs'), 'value').text,
    runId: textAt(members, 'wb_run_id'),
  };
  const endedAt = timeAt(members, 'ended_at');
  const end = {
    endedAt: endedAt ?? undefined,
    exception: textAt(members, 'exception'),
    output: member(members, 'output')?.text ?? null,
    summary: toJson(withoutDerived(summary)),
  };
  return [{ kind: 'call', call: { ...start, ...(endedAt === null ? {} : end) } }, ...feedbackIn(summary, id, project)];
};

/** A ref to the exported project, converted to a ref to the project that it is imported to. */
function moved(text: string, from: string | null, to: string): string {
  const begin = from === null ? /^weave:\/\/\/[^/]+\/[^/]+\/op\// : `weave:///${from}/`;
  return typeof begin === 'string' ? text.replace(begin, `weave:///${to}/`) : text.replace(begin, `weave:///${to}/op/`);
}

/** Fields that the server computes for each response are not stored. */
function withoutDerived(summary: unknown): object {
  if (!isObject(summary)) return {};
  const { weave, ...rest } = summary;
  if (!isObject(weave)) return rest;
  const kept = Object.entries(weave).filter(([name]) => !derived.has(name));
  return kept.length === 0 ? rest : { ...rest, weave: Object.fromEntries(kept) };
}

const derived = new Set(['status', 'latency_ms', 'trace_name', 'display_name', 'costs', 'feedback']);

function feedbackIn(summary: unknown, callId: string, project: string): ImportItem[] {
  const weave = isObject(summary) && isObject(summary.weave) ? summary.weave : {};
  if (!Array.isArray(weave.feedback)) return [];
  return weave.feedback.filter(isObject).map((row): ImportItem => {
    const refs = Object.fromEntries(
      ['annotation_ref', 'runnable_ref', 'call_ref', 'trigger_ref'].map((name) => {
        const ref = row[name];
        return [
          name,
          typeof ref === 'string' ? ref.replace(/^weave:\/\/\/[^/]+\/[^/]+\//, `weave:///${project}/`) : null,
        ];
      }),
    );
    const about = { project_id: project, weave_ref: `weave:///${project}/call/${callId}`, queue_id: null };
    const sent = parseJson(toJson({ ...row, ...refs, ...about }), { keep: keepTreeOf(feedbackCreateSchema) });
    const feedback = validate(feedbackCreateSchema, sent, 'feedback');
    if (feedback.id === null) throw invalidInput('feedback without an id');
    const createdAt = typeof row.created_at === 'string' ? parseTimestamp(row.created_at) : null;
    return { kind: 'feedback', feedback: { ...feedback, id: feedback.id, createdAt: createdAt ?? undefined } };
  });
}
