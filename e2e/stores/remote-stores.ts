import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Front, startFront } from '../../src/store/clickhouse/server/testing/start-front.ts';
import { startTestServer, type TestServer } from '../../src/store/postgres/testing/postgres-server.ts';
import { type S3Server, startSwift } from './swift-server.ts';

/** A server for each kind of store. */
export type RemoteStores = {
  front: Front;
  postgres: TestServer;
  bucket: S3Server;
  /** Settings of a new deployment: an empty database, schema and prefix. */
  newDeployment(): Promise<Record<string, string>>;
  close(): Promise<void>;
};

export async function startRemoteStores(): Promise<RemoteStores> {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-front-'));
  const [front, postgres, bucket] = await Promise.all([startFront(folder), startTestServer(), startSwift('heddle')]);
  return {
    ...{ front, postgres, bucket },
    async newDeployment() {
      const name = `d${randomUUID().slice(0, 8)}`;
      return {
        HEDDLE_CLICKHOUSE_URL: front.url(name),
        HEDDLE_POSTGRES_URL: await postgres.createDatabase(),
        HEDDLE_BLOBS_URL: `s3://heddle/${name}?endpoint=${bucket.endpoint}`,
        HEDDLE_SECRET_KEY: 'key of the processes of a test'.padEnd(64, '0'),
        HEDDLE_POSTGRES_CONNECTIONS_MAX: '4',
        ...bucket.credentials,
      };
    },
    async close() {
      await Promise.all([front.kill(), postgres.close(), bucket.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
