import { generousLimits } from '../../src/store/clickhouse/lanes/read-limits.ts';
import { serverClickHouse } from '../../src/store/clickhouse/server/open.ts';
import { parseServerUrl } from '../../src/store/clickhouse/server/server-url.ts';

/** Calls with more than one live row in the table, which readers would find twice. */
export async function findDoubleKeys(url: string): Promise<string[]> {
  const address = parseServerUrl(url);
  const { store } = await serverClickHouse({ address, limits: generousLimits, insertsPerSecondMax: 10 });
  const rows = await store.query<{ project: string; id: string; versions: string }>(
    `SELECT project_id AS project, id, toString(groupArray(version)) AS versions FROM calls FINAL WHERE is_deleted = 0
     GROUP BY project_id, id HAVING count() > 1 LIMIT 100`,
  );
  await store.close();
  return rows.map(
    ({ project, id, versions }) => `call ${id} of ${project} has live rows with the versions ${versions}`,
  );
}
