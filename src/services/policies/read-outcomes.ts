import type { AssignedAnswer } from '../../domain/policies/outcomes.ts';
import type { DueOfVersion, PolicyOutcomes } from '../../domain/policies/policy-outcomes.ts';
import { type AssignedCall, findAssignedCalls } from '../../store/clickhouse/policies/assigned-calls.ts';
import { ratingsOfCalls } from '../../store/clickhouse/policies/ratings.ts';
import type { Policy } from '../../store/postgres/policies/policies.ts';
import type { Deps } from '../deps.ts';

/** A page reads the places of all calls of the policy, so there should be few. */
const callsPerPage = 20_000;
const unitsPerPage = 500;
/** Calls carry the clock of the process that wrote them, and answers may still be given when their version ends. */
export const clockSkewUs = 3600 * 1e6;

type ClickHouse = Deps['clickhouse'];
type Place = { version: number; callId: string };
type AnswersPage = { answers: { version: number; answer: AssignedAnswer }[]; after: Place };

/** The answers of a policy that were written after a place, in pages, each with the place after it. */
export async function* readAnswers(
  clickhouse: ClickHouse,
  { id: policyId, projectId }: Pick<Policy, 'id' | 'projectId'>,
  from: { startedAfter: number; after: Place; writtenBefore: number },
): AsyncGenerator<AnswersPage> {
  let { after } = from;
  for (;;) {
    const calls = await findAssignedCalls(clickhouse, { ...from, projectId, policyId, after, limit: callsPerPage });
    const last = calls.at(-1);
    if (last === undefined) return;
    after = { version: last.writeVersion, callId: last.callId };
    yield { answers: calls.flatMap((call) => answerOf(call) ?? []), after };
    if (calls.length < callsPerPage) return;
  }
}

/** Counts the units whose windows have closed by a time, and yields each with its reward. Whoever stops leaves the others for the next time. */
export async function* closeUnits(
  clickhouse: ClickHouse,
  { policy, projectName }: { policy: Pick<Policy, 'projectId'>; projectName: string },
  outcomes: PolicyOutcomes,
  until: number,
): AsyncGenerator<DueOfVersion & { reward: number | null }> {
  const due = outcomes.due(until);
  for (let start = 0; start < due.length; start += unitsPerPage) {
    const page = due.slice(start, start + unitsPerPage);
    const ids = [...new Set(page.flatMap((each) => outcomes.callsOf(each)))];
    const of = { projectId: policy.projectId, projectName, ids };
    const byCall = Map.groupBy(await ratingsOfCalls(clickhouse, of), ({ callId }) => callId);
    for (const each of page) {
      const ratings = outcomes.callsOf(each).flatMap((id) => byCall.get(id) ?? []);
      yield { ...each, reward: outcomes.close(each, ratings) };
    }
  }
}

/** Null for attributes that a client wrote. */
function answerOf({ callId, endedAt, assignment }: AssignedCall): { version: number; answer: AssignedAnswer } | null {
  const { version, variant, unit: kind, unit_id: id, moved, failure } = assignment;
  if (typeof version !== 'number' || typeof variant !== 'string' || typeof id !== 'string') return null;
  if (kind !== 'thread' && kind !== 'user' && kind !== 'request') return null;
  const hasFailed = failure !== null && failure !== undefined;
  return { version, answer: { callId, unit: { kind, id }, variant, isMoved: moved === true, endedAt, hasFailed } };
}
