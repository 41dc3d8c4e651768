import type { ClickHouse } from '../clickhouse.ts';
import { findPositions, type PositionQuery, type RowPosition } from './find-positions.ts';

export type StoredRow = RowPosition & { text: string };

/** Reads rows in pages, so that neither many rows nor large rows must fit into memory at once. */
export async function* readRows(
  clickhouse: ClickHouse,
  { offset, limit, ...query }: Omit<PositionQuery, 'limit'> & { limit: number | null },
): AsyncGenerator<StoredRow[]> {
  let left = limit ?? Number.POSITIVE_INFINITY;
  while (left > 0) {
    const window = Math.min(left, positionsMax);
    const positions = await findPositions(clickhouse, { ...query, offset, limit: window });
    yield* readPages(clickhouse, query.projectId, positions);
    if (positions.length < window) return;
    offset += window;
    left -= window;
  }
}

/** How many positions are found, and for a sorted table sorted, at a time. */
const positionsMax = 50_000;
const [pageMin, pageFirst, pageMax] = [10, 100, 1000];
const pageCharacters = 4 * 1024 * 1024;

/** Pages grow while rows are small. */
async function* readPages(clickhouse: ClickHouse, projectId: string, positions: RowPosition[]) {
  let size = pageFirst;
  for (let start = 0; start < positions.length; ) {
    const page = positions.slice(start, start + size);
    start += page.length;
    const texts = await readRowTexts(clickhouse, projectId, new Set(page.map(({ digest }) => digest)));
    const rows = page.flatMap((row) => (texts.has(row.digest) ? [{ ...row, text: texts.get(row.digest)! }] : []));
    yield rows;
    const characters = rows.reduce((sum, { text }) => sum + text.length, 0);
    if (characters < pageCharacters / 2) size = Math.min(size * 2, pageMax);
    else if (characters > pageCharacters) size = Math.max(size >> 1, pageMin);
  }
}

/** The stored rows as text, by digest: of a digest stored twice, the first. At most about a thousand at a time. */
export async function readRowTexts(
  clickhouse: ClickHouse,
  projectId: string,
  digests: Iterable<string>,
): Promise<Map<string, string>> {
  const rows = await clickhouse.query<{ digest: string; value: string }>(
    `SELECT digest, value FROM table_rows
     WHERE project_id = {project:String} AND digest IN {digests:Array(String)}
     ORDER BY digest, earliness DESC LIMIT 1 BY digest`,
    { project: projectId, digests: [...digests] },
  );
  return new Map(rows.map(({ digest, value }) => [digest, value]));
}
