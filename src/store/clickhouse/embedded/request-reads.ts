import type { currentScope } from '../../../util/request-scope.ts';
import { killUntilEnded } from '../lanes/kill.ts';
import { openLimitedReads } from '../lanes/limited-reads.ts';
import type { ReadLimits } from '../lanes/read-limits.ts';
import type { StartedRead } from '../lanes/reads.ts';
import { openUsedTimes } from '../lanes/used-times.ts';
import type { Session } from './session.ts';

type RequestReads = { readers: Session[]; controller: Session; limits: ReadLimits };
/** Sends a statement to a session. */
type Read<Answer> = (session: Session, sql: string) => Promise<Answer>;
type Scope = NonNullable<ReturnType<typeof currentScope>>;

/** Runs the reads of requests in the lanes, each in a session of its own. */
export function openRequestReads({ readers, controller, limits }: RequestReads) {
  const idle = [...readers];
  const limited = openLimitedReads(limits);
  const usedMs = openUsedTimes(() =>
    controller.query<{ name: string; ms: number }>(
      `SELECT substring(query, 1, position(query, '*/') + 1) AS name, ProfileEvents['OSCPUVirtualTimeMicroseconds'] / 1000 AS ms
       FROM system.processes WHERE startsWith(query, '/* read')`,
    ),
  );
  let count = 0;

  function start<Answer>(sql: string, read: Read<Answer>): StartedRead<Answer> {
    const session = idle.pop()!; // there is one for each place in the lanes
    const mark = `/* read ${count++} */`;
    let hasEnded = false;
    const ended = read(session, `${mark} ${sql}`).finally(() => {
      hasEnded = true;
      idle.push(session);
    });
    const kill = () => controller.command(`KILL QUERY WHERE startsWith(query, '${mark}') ASYNC`);
    return {
      ended,
      stop: () => void killUntilEnded(kill, () => hasEnded),
      usedMs: () => usedMs(mark),
    };
  }

  return <Answer>(sql: string, read: Read<Answer>, scope: Scope): Promise<Answer> =>
    limited(sql, () => start(sql, read), scope);
}
