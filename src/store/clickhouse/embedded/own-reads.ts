import type { Session } from './session.ts';

/** Each statement goes to the session with the fewest statements. */
export function openOwnReads(sessions: Session[]) {
  const underWay = new Map(sessions.map((session) => [session, 0]));
  return async <Answer>(read: (session: Session) => Promise<Answer>): Promise<Answer> => {
    const [session] = [...underWay].reduce((least, each) => (each[1] < least[1] ? each : least));
    underWay.set(session, underWay.get(session)! + 1);
    try {
      return await read(session);
    } finally {
      underWay.set(session, underWay.get(session)! - 1);
    }
  };
}
