import type { Transaction } from 'kysely';
import type { TurnFound, TurnOutcome, TurnPhase } from '../../../domain/loops/turn.ts';
import { conflict } from '../../../util/failures.ts';
import { parsePlain } from '../../../util/json/parse.ts';
import type { Postgres } from '../postgres.ts';
import type { Database } from '../schema.ts';
import { storableText } from '../storable.ts';

export type StoredTurn = {
  id: string;
  loopId: string;
  number: number;
  /** JSON: the plan with which it began; null until then. */
  plan: string | null;
  phase: TurnPhase;
  found: TurnFound;
  outcome: TurnOutcome | null;
  reason: string | null;
  startsAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  answer: { answer: 'yes' | 'no'; reason: string; by: string; at: Date } | null;
  undone: { by: string; at: Date } | null;
};

type Db = Pick<Postgres, 'db'>;

/** Adds the next turn of a loop. @throws Failure conflict if the loop has an open one */
export async function addTurn(
  db: Transaction<Database>,
  { id, loopId, startsAt }: Pick<StoredTurn, 'id' | 'loopId' | 'startsAt'>,
): Promise<void> {
  await db.selectFrom('loops').select('id').where('id', '=', loopId).forUpdate().execute();
  const open = await selectTurns({ db }, loopId).where('ended_at', 'is', null).executeTakeFirst();
  if (open) throw conflict(`Turn ${open.number} has not ended yet.`);
  const last = await selectTurns({ db }, loopId).limit(1).executeTakeFirst();
  await db
    .insertInto('loop_turns')
    .values({
      ...{ id, loop_id: loopId, number: (last?.number ?? 0) + 1, phase: 'waiting', found: '{}' },
      starts_at: startsAt,
    })
    .execute();
}

export async function findTurn({ db }: Db, id: string): Promise<StoredTurn | null> {
  const row = await db.selectFrom('loop_turns').selectAll().where('id', '=', id).executeTakeFirst();
  return row ? turnOf(row) : null;
}

export async function findTurnByNumber(db: Db, loopId: string, number: number): Promise<StoredTurn | null> {
  const row = await selectTurns(db, loopId).where('number', '=', number).executeTakeFirst();
  return row ? turnOf(row) : null;
}

/** The newest first. */
export async function listTurns(db: Db, loopId: string, limit: number): Promise<StoredTurn[]> {
  return (await selectTurns(db, loopId).limit(limit).execute()).map(turnOf);
}

/** The latest turns of some loops, by the ids of the loops. */
export async function latestTurns({ db }: Db, loopIds: string[]): Promise<Map<string, StoredTurn>> {
  if (loopIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('loop_turns')
    .selectAll()
    .distinctOn('loop_id')
    .where('loop_id', 'in', loopIds)
    .orderBy('loop_id')
    .orderBy('number', 'desc')
    .execute();
  return new Map(rows.map((row) => [row.loop_id, turnOf(row)]));
}

/** Lets a turn that waits for its time begin now. */
export async function startEarly({ db }: Db, id: string): Promise<void> {
  await db
    .updateTable('loop_turns')
    .set({ starts_at: new Date() })
    .where('id', '=', id)
    .where('phase', '=', 'waiting')
    .execute();
}

/** Writes what changed in a turn that has not ended. */
export async function saveTurn(
  { db }: Db,
  id: string,
  change: Partial<Pick<StoredTurn, 'plan' | 'phase' | 'found' | 'startedAt'>>,
): Promise<void> {
  const { found, startedAt, ...rest } = change;
  await db
    .updateTable('loop_turns')
    .set({
      ...rest,
      ...(found === undefined ? {} : { found: JSON.stringify(found) }),
      ...(startedAt === undefined ? {} : { started_at: startedAt }),
    })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .execute();
}

/** The first end counts. @returns whether it was this one */
export async function endTurn(
  { db }: Db,
  id: string,
  { outcome, reason }: { outcome: TurnOutcome; reason: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('loop_turns')
    .set({ phase: 'ended', outcome, reason: storableText(reason), ended_at: new Date() })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** The first answer counts. @returns whether it was this one */
export async function saveAnswer(
  { db }: Db,
  id: string,
  { answer, reason, by }: { answer: 'yes' | 'no'; reason: string; by: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('loop_turns')
    .set({ answer, answer_reason: reason, answered_by: by, answered_at: new Date() })
    .where('id', '=', id)
    .where('phase', '=', 'asking')
    .where('answer', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function markUndone({ db }: Db, id: string, by: string): Promise<void> {
  await db
    .updateTable('loop_turns')
    .set({ undone_by: by, undone_at: new Date() })
    .where('id', '=', id)
    .where('undone_at', 'is', null)
    .execute();
}

/** How many of the latest ended turns of a loop failed in a row, at most `most`. */
export async function failuresInARow({ db }: Db, loopId: string, most: number): Promise<number> {
  const rows = await db
    .selectFrom('loop_turns')
    .select('outcome')
    .where('loop_id', '=', loopId)
    .where('ended_at', 'is not', null)
    .orderBy('number', 'desc')
    .limit(most)
    .execute();
  const first = rows.findIndex(({ outcome }) => outcome !== 'failed');
  return first === -1 ? rows.length : first;
}

function selectTurns({ db }: Db, loopId: string) {
  return db.selectFrom('loop_turns').selectAll().where('loop_id', '=', loopId).orderBy('number', 'desc');
}

function turnOf(row: Awaited<ReturnType<ReturnType<typeof selectTurns>['execute']>>[number]): StoredTurn {
  const { answer, answer_reason: reason, answered_by: by, answered_at: at } = row;
  return {
    ...{ id: row.id, loopId: row.loop_id, number: row.number, plan: row.plan, phase: row.phase },
    found: parsePlain(row.found) as TurnFound,
    ...{ outcome: row.outcome, reason: row.reason },
    ...{ startsAt: row.starts_at, startedAt: row.started_at, endedAt: row.ended_at },
    answer: answer && by && at ? { answer, reason: reason ?? '', by, at } : null,
    undone: row.undone_by && row.undone_at ? { by: row.undone_by, at: row.undone_at } : null,
  };
}
