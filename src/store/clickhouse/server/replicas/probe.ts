import { setTimeout } from 'node:timers/promises';
import { parseLines } from '../../rows/parse-lines.ts';
import { StoreError } from '../../store-error.ts';
import type { HostAddress } from '../server-url.ts';
import { openStatements } from '../statements.ts';

const answerMsMax = 3_000;
/** A replica that is restarted at once is not worth a change. */
const attempts = 2;
const pauseMs = 500;

/** Whether a replica does not answer, or cannot write because it lost its coordination service, for longer than a moment. */
export async function isGone(address: HostAddress): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    if (await canWrite(address)) return false;
    if (attempt === attempts) return true;
    await setTimeout(pauseMs);
  }
}

/** Asks on a connection of its own: those that exist may lead to a machine that is gone. */
async function canWrite(address: HostAddress): Promise<boolean> {
  const statements = openStatements(address, { socketsMax: 1, answerMsMax, isBrief: true });
  try {
    const [row] = await parseLines<{ readOnly: number }>(
      await statements.read(
        `SELECT countIf(is_readonly OR is_session_expired) AS readOnly
         FROM system.replicas WHERE database = currentDatabase()`,
        'JSONEachRow',
      ),
    );
    return row!.readOnly === 0;
  } catch (error) {
    return error instanceof StoreError && error.code !== null; // a busy server answers with an error
  } finally {
    await statements.close();
  }
}
