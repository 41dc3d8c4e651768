import { invalidInput } from '../../util/failures.ts';
import type { ClickHouse } from './clickhouse.ts';

/**
 * Writes the rows of a Parquet file to another file as JSON lines. Only an embedded store reads the files of this machine.
 * @throws Failure if the file is not a Parquet file that can be read
 */
export async function convertParquet(clickhouse: ClickHouse, from: string, to: string): Promise<void> {
  const [source, target] = [from, to].map((path) => `'${path.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`);
  try {
    await clickhouse.internal.command(
      `INSERT INTO FUNCTION file(${target}, JSONEachRow) SELECT * FROM file(${source}, Parquet)`,
    );
  } catch (error) {
    throw invalidInput(`${from} cannot be read as Parquet: ${(error as Error).message.slice(0, 300)}`);
  }
}
