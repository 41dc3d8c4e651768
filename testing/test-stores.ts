import { createHash } from 'node:crypto';

/**
 * Settings that put the stores of a test on the servers that `HEDDLE_TEST_CLICKHOUSE_URL`, `HEDDLE_TEST_POSTGRES_URL` and
 * `HEDDLE_TEST_S3_URL` name: a database, a schema and a prefix for each data directory. A server that is not named leaves
 * its part embedded.
 */
export function serversOf(data: string): Record<string, string> {
  const name = `data_${createHash('sha256').update(data).digest('hex').slice(0, 16)}`;
  const {
    HEDDLE_TEST_CLICKHOUSE_URL: clickhouse,
    HEDDLE_TEST_POSTGRES_URL: postgres,
    HEDDLE_TEST_S3_URL: s3,
  } = process.env;
  return {
    ...(s3 ? { HEDDLE_BLOBS_URL: s3.replace(/(\?|$)/, `/${name}$1`), ...credentials() } : {}),
    ...(clickhouse ? { HEDDLE_CLICKHOUSE_URL: clickhouse.replace(/\/\w*(\?|$)/, `/${name}$1`) } : {}),
    ...(postgres ? { HEDDLE_POSTGRES_URL: `${postgres}${postgres.includes('?') ? '&' : '?'}schema=${name}` } : {}),
    ...(s3 && clickhouse && postgres ? { HEDDLE_SECRET_KEY: 'key-of-the-processes-of-a-test'.padEnd(64, '0') } : {}),
  };
}

/** Servers of tests get few of the variables of their process. */
function credentials(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (name.startsWith('AWS_') ? [[name, value!]] : [])),
  );
}

/** The stores that a data directory of a test lacks. */
export function storesOnServers(): ('clickhouse' | 'postgres')[] {
  const { HEDDLE_TEST_CLICKHOUSE_URL: clickhouse, HEDDLE_TEST_POSTGRES_URL: postgres } = process.env;
  return [...(clickhouse ? ['clickhouse' as const] : []), ...(postgres ? ['postgres' as const] : [])];
}
