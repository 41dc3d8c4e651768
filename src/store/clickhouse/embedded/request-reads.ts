import type { currentScope } from '../../../util/request-scope.ts';
import { openLanes } from '../lanes/lanes.ts';
import { limitError, wasKilled } from '../lanes/query-budget.ts';
import type { ReadLimits } from '../lanes/read-limits.ts';
import type { StartedRead } from '../lanes/reads.ts';
import type { Session } from './session.ts';

type RequestReads = { readers: Session[]; controller: Session; limits: ReadLimits };
/** Sends a statement to a session. */
type Read<Answer> = (session: Session, sql: string) => Promise<Answer>;
type Scope = NonNullable<ReturnType<typeof currentScope>>;

/** Runs the reads of requests in the lanes, each in a session of its own. */
export function openRequestReads({ readers, controller, limits: { budget, lanes: laneLimits } }: RequestReads) {
  const idle = [...readers];
  const lanes = openLanes(laneLimits, wasKilled);
  const usedTimes = openUsedTimes(controller);
  let count = 0;

  function start<Answer>(sql: string, read: Read<Answer>): StartedRead<Answer> {
    const session = idle.pop()!; // there is one for each place in the lanes
    const mark = `/* read ${count++} */`;
    let hasEnded = false;
    const ended = read(session, `${mark} ${sql}`).finally(() => {
      hasEnded = true;
      idle.push(session);
    });
    return {
      ended,
      stop: () => void kill(controller, mark, () => hasEnded),
      usedMs: async () => (await usedTimes()).get(mark) ?? 0,
    };
  }

  return async <Answer>(sql: string, read: Read<Answer>, { group, signal }: Scope): Promise<Answer> => {
    try {
      return await lanes.run<Answer>({ group, signal, bytes: sql.length, start: () => start(sql, read) });
    } catch (error) {
      throw limitError(error, budget) ?? error;
    }
  };
}

/** The CPU time of each running read, by its mark. Concurrent callers share one statement. */
function openUsedTimes(controller: Session): () => Promise<Map<string, number>> {
  const read = async () => {
    const rows = await controller.query<{ mark: string; ms: number }>(
      `SELECT substring(query, 1, position(query, '*/') + 1) AS mark, ProfileEvents['OSCPUVirtualTimeMicroseconds'] / 1000 AS ms
       FROM system.processes WHERE startsWith(query, '/* read')`,
    );
    return new Map(rows.map(({ mark, ms }) => [mark, ms]));
  };
  let asked: Promise<Map<string, number>> | null = null;
  return () => {
    if (asked) return asked;
    asked = read().catch(() => new Map());
    setTimeout(() => {
      asked = null;
    }, 50).unref();
    return asked;
  };
}

/** A statement that was just sent is not listed yet, so this may take several attempts. */
async function kill(controller: Session, mark: string, hasEnded: () => boolean): Promise<void> {
  for (let pauseMs = 20; !hasEnded(); pauseMs = Math.min(pauseMs * 2, 1000)) {
    await controller.command(`KILL QUERY WHERE startsWith(query, '${mark}') ASYNC`).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
  }
}
