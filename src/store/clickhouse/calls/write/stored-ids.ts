import { idHash, KnownIds } from '../../../../util/known-ids.ts';
import type { ClickHouse } from '../../clickhouse.ts';

export type CallIds = {
  add(projectId: string, id: string): void;
  /** False only if no row of this call is stored, so that a new call needs no read. */
  mayHave(projectId: string, id: string): boolean;
};

/**
 * Keeps in memory which calls are stored, for a process that is alone. Until the ids of an existing store have been read in the
 * background, any id may be stored.
 */
export function openCallIds(clickhouse: ClickHouse): CallIds {
  const known = new KnownIds();
  let isComplete = false;
  void readHashes(clickhouse, known).then(
    () => {
      isComplete = true;
    },
    () => {}, // every write then keeps reading first: slower, never wrong
  );
  return {
    add: (projectId, id) => known.add(idHash(`${projectId}/${id}`)),
    mayHave: (projectId, id) => !isComplete || known.mayHave(idHash(`${projectId}/${id}`)),
  };
}

/** Reads in sorting key order, page by page. The writer itself adds rows written in the meantime. */
async function readHashes(clickhouse: ClickHouse, known: KnownIds): Promise<void> {
  let last: SortingKey = ['', 0, ''];
  for (let found = pageRows; found === pageRows; ) {
    const [projectId, startedAt, id]: SortingKey = last;
    const [page] = await clickhouse.query<{ hashes: number[]; last: SortingKey }>(
      `SELECT groupArray(hash) AS hashes, max(key) AS last FROM (
         SELECT CRC32(concat(project_id, '/', id)) AS hash, (project_id, toUnixTimestamp64Micro(started_at), id) AS key
         FROM calls
         WHERE (project_id, started_at, id) > ({projectId:String}, fromUnixTimestamp64Micro({startedAt:Int64}), {id:String})
         ORDER BY project_id, started_at, id
         LIMIT ${pageRows}
       )`,
      { projectId, startedAt: String(startedAt), id }, // older stores may contain values that are not safe integers
    );
    for (const hash of page!.hashes) known.add(hash);
    found = page!.hashes.length;
    last = page!.last;
  }
}

type SortingKey = [projectId: string, startedAt: number, id: string];
const pageRows = 100_000;
