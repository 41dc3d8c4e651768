import { openBlobDirectory } from '../../src/store/blobs/directory/blob-directory.ts';
import { openS3 } from '../../src/store/blobs/s3/open.ts';
import { parseS3Url } from '../../src/store/blobs/s3/s3-url.ts';
import { generousLimits } from '../../src/store/clickhouse/lanes/read-limits.ts';
import { serverClickHouse } from '../../src/store/clickhouse/server/open.ts';
import { parseServerUrl } from '../../src/store/clickhouse/server/server-url.ts';
import { storePaths } from '../../src/store/data-directory.ts';
import { serversOf } from '../../testing/test-stores.ts';

/** Runs a query on the traces of a server that has ended: no endpoint shows everything as it is kept. */
export async function queryTraces<Row>(data: string, sql: string): Promise<Row[]> {
  const clickhouse = await openTraces(data);
  try {
    return await clickhouse.query<Row>(sql, {});
  } finally {
    await clickhouse.close();
  }
}

async function openTraces(data: string) {
  const url = serversOf(data).HEDDLE_CLICKHOUSE_URL;
  if (url === undefined) {
    const { openEmbeddedClickHouse } = await import('../../src/store/clickhouse/embedded/embedded-clickhouse.ts');
    return openEmbeddedClickHouse(storePaths(data).clickhouse);
  }
  const address = parseServerUrl(url);
  return (await serverClickHouse({ address, limits: generousLimits, insertsPerSecondMax: 10 })).store;
}

/** The keys of the large files of a server. */
export async function keysOfFiles(data: string): Promise<string[]> {
  const url = serversOf(data).HEDDLE_BLOBS_URL;
  if (url === undefined) return Array.fromAsync(openBlobDirectory(storePaths(data).blobs).list(''));
  const { blobs, close } = await openS3(parseS3Url(url), { publicUrl: null });
  try {
    return await Array.fromAsync(blobs.list(''));
  } finally {
    close();
  }
}
