import type { ComparedThread, Estimates } from '../../../domain/gates/comparison.ts';
import { parsePlain } from '../../../util/json/parse.ts';
import type { Postgres } from '../postgres.ts';

type Db = Pick<Postgres, 'db'>;

/** A thread with the estimates after it. */
export type AddedThread = { position: number; compared: ComparedThread; estimates: Estimates };

/** Adds the thread at a position. One that is there already stays. */
export async function addThread(
  { db }: Db,
  gateId: string,
  { position, compared, estimates }: AddedThread,
): Promise<void> {
  await db
    .insertInto('gate_threads')
    .values({
      gate_id: gateId,
      position,
      compared: JSON.stringify(compared),
      estimates: JSON.stringify(estimates),
      mean: estimates.target.mean,
      lower: estimates.target.bounds.lower,
      upper: estimates.target.bounds.upper,
    })
    .onConflict((on) => on.columns(['gate_id', 'position']).doNothing())
    .execute();
}

/** In the order of the plan. */
export async function listThreads({ db }: Db, gateId: string): Promise<ComparedThread[]> {
  const rows = await db
    .selectFrom('gate_threads')
    .select('compared')
    .where('gate_id', '=', gateId)
    .orderBy('position')
    .execute();
  return rows.map(({ compared }) => parsePlain(compared) as ComparedThread);
}

/** The estimates after the last thread; null before the first. */
export async function lastEstimates({ db }: Db, gateId: string): Promise<Estimates | null> {
  const row = await db
    .selectFrom('gate_threads')
    .select('estimates')
    .where('gate_id', '=', gateId)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ? (parsePlain(row.estimates) as Estimates) : null;
}

/** How many clean threads gates have compared, by their ids; without gates that have compared none. */
export async function countCleanThreads({ db }: Db, gateIds: string[]): Promise<Map<string, number>> {
  if (gateIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('gate_threads')
    .distinctOn('gate_id')
    .select(['gate_id', 'estimates'])
    .where('gate_id', 'in', gateIds)
    .orderBy('gate_id')
    .orderBy('position', 'desc')
    .execute();
  return new Map(rows.map((row) => [row.gate_id, (parsePlain(row.estimates) as Estimates).target.threads]));
}

/** The target after a number of threads. */
export type GatePoint = { threads: number; mean: number | null; lower: number; upper: number };

/** At most this many points, evenly spread, with the last. */
export async function listPoints({ db }: Db, gateId: string, most: number): Promise<GatePoint[]> {
  if (most === 0) return [];
  const { count } = await db
    .selectFrom('gate_threads')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('gate_id', '=', gateId)
    .executeTakeFirstOrThrow();
  const threads = Number(count);
  const step = Math.max(1, Math.ceil(threads / most));
  const rows = await db
    .selectFrom('gate_threads')
    .select(['position', 'mean', 'lower', 'upper'])
    .where('gate_id', '=', gateId)
    .where(({ eb, or }) =>
      or([eb(eb('position', '%', step), '=', step - 1), eb('position', '=', 0), eb('position', '=', threads - 1)]),
    )
    .orderBy('position')
    .execute();
  return rows.map(({ position, ...point }) => ({ threads: position + 1, ...point }));
}
