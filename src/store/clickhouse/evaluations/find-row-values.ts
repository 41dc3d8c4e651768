import type { ResultField } from '../../../domain/evaluations/results/field.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { SqlParams } from '../query/sql-params.ts';

/** Values of rows of tables as JSON texts, by digest and by the name of the field. */
export async function findRowValues(
  clickhouse: ClickHouse,
  projectId: string,
  digests: ReadonlySet<string>,
  fields: readonly ResultField[],
): Promise<Map<string, Map<string, string>>> {
  const found = new Map<string, Map<string, string>>();
  if (fields.length === 0) return found;
  const wanted = [...digests];
  for (let start = 0; start < wanted.length; start += digestsAtATime) {
    const params = new SqlParams();
    const values = fields.map(
      ({ path }) => `JSONExtractRaw(value, ${path.map((step) => params.string(step)).join(', ')})`,
    );
    const rows = await clickhouse.query<{ digest: string; values: string[] }>(
      `SELECT digest, [${values.join(', ')}] AS values FROM table_rows
       WHERE project_id = ${params.string(projectId)} AND digest IN ${params.strings(wanted.slice(start, start + digestsAtATime))}
       LIMIT 1 BY digest`,
      params.values,
    );
    for (const { digest, values } of rows) found.set(digest, new Map(fields.map(({ name }, i) => [name, values[i]!])));
  }
  return found;
}

const digestsAtATime = 5000;
