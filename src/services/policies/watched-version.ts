import type { Breach, PolicyLook } from '../../domain/policies/look.ts';
import { type AssignedAnswer, VersionOutcomes } from '../../domain/policies/outcomes.ts';
import { type AssignedCall, findAssignedCalls } from '../../store/clickhouse/policies/assigned-calls.ts';
import { ratingsOfCalls } from '../../store/clickhouse/policies/ratings.ts';
import type { Policy, StoredVersion } from '../../store/postgres/policies/policies.ts';
import type { Deps } from '../deps.ts';

/** A page reads the places of all calls of the policy, so there should be few. */
const callsPerPage = 20_000;
const unitsPerPage = 500;
/** Calls carry the clock of the process that wrote them. */
const clockSkewUs = 3600 * 1e6;

/**
 * The outcomes of a version, as far as its calls have been read. Nothing of it is stored: another process, or the next start, reads
 * the calls again and comes to the same.
 */
export class WatchedVersion {
  readonly version: StoredVersion;
  readonly #policy: Policy;
  readonly #projectName: string;
  readonly #outcomes: VersionOutcomes;
  #after = { version: 0, callId: '' };
  hasChanged = true;

  constructor(policy: Policy, version: StoredVersion, projectName: string) {
    this.version = version;
    this.#policy = policy;
    this.#projectName = projectName;
    this.#outcomes = new VersionOutcomes(version);
  }

  /**
   * Reads the calls that were written since the last time, and counts the units whose windows have closed.
   * @param limits up to where calls can be read, and up to when windows are closed
   * @returns the breach at which counting stopped; null without one
   */
  async read(
    { clickhouse }: Pick<Deps, 'clickhouse'>,
    { writtenBefore, until, isHeld }: { writtenBefore: number; until: number; isHeld(): boolean },
  ): Promise<Breach | null> {
    const { id: policyId, projectId } = this.#policy;
    const startedAfter = this.version.createdAt.getTime() * 1000 - clockSkewUs;
    let isLast = false;
    while (!isLast && isHeld()) {
      const window = { projectId, policyId, startedAfter, after: this.#after, writtenBefore, limit: callsPerPage };
      const calls = await findAssignedCalls(clickhouse, window);
      for (const call of calls) {
        const answer = answerOf(call, this.version.number);
        if (answer !== null) this.#add(answer);
      }
      const last = calls.at(-1);
      if (last) this.#after = { version: last.writeVersion, callId: last.callId };
      isLast = calls.length < callsPerPage;
    }
    return isLast ? this.#close({ clickhouse }, until) : null;
  }

  look(until: number): PolicyLook {
    return this.#outcomes.look(until);
  }

  #add(answer: AssignedAnswer): void {
    this.#outcomes.add(answer);
    this.hasChanged = true;
  }

  async #close({ clickhouse }: Pick<Deps, 'clickhouse'>, until: number): Promise<Breach | null> {
    const due = this.#outcomes.due(until);
    for (let start = 0; start < due.length; start += unitsPerPage) {
      const page = due.slice(start, start + unitsPerPage);
      const ids = [...new Set(page.flatMap((each) => this.#outcomes.callsOf(each)))];
      const of = { projectId: this.#policy.projectId, projectName: this.#projectName, ids };
      const byCall = Map.groupBy(await ratingsOfCalls(clickhouse, of), ({ callId }) => callId);
      for (const each of page) {
        this.#outcomes.close(
          each,
          this.#outcomes.callsOf(each).flatMap((id) => byCall.get(id) ?? []),
        );
        this.hasChanged = true;
        const breach = this.#outcomes.breach();
        if (breach !== null) return breach;
      }
    }
    return this.#outcomes.breach();
  }
}

/** Null for a call of another version, and for attributes that a client wrote. */
function answerOf({ callId, endedAt, assignment }: AssignedCall, number: number): AssignedAnswer | null {
  const { version, variant, unit: kind, unit_id: id, moved, failure } = assignment;
  if (version !== number || typeof variant !== 'string' || typeof id !== 'string') return null;
  if (kind !== 'thread' && kind !== 'user' && kind !== 'request') return null;
  const hasFailed = failure !== null && failure !== undefined;
  return { callId, unit: { kind, id }, variant, isMoved: moved === true, endedAt, hasFailed };
}
