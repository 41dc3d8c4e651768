import { convertParquet } from '../store/clickhouse/convert-parquet.ts';
import { invalidInput } from '../util/failures.ts';
import type { AdminContext } from './admin-context.ts';

/** Reads Parquet files with the embedded store; a server reads only its own files. */
export function parquetConverter({ clickhouse, databases }: Pick<AdminContext, 'clickhouse' | 'databases'>) {
  return async (from: string, to: string): Promise<void> => {
    if (databases.clickhouse.kind === 'embedded') return convertParquet(clickhouse, from, to);
    throw invalidInput(
      `${from} is a Parquet file, which heddle reads only with embedded ClickHouse. Export the table as JSONEachRow.`,
    );
  };
}
