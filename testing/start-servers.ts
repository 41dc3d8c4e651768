import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { swiftEnvironment } from '../e2e/stores/environment.ts';
import { type S3Server, startSwift } from '../e2e/stores/swift-server.ts';
import { startFront } from '../src/store/clickhouse/server/testing/start-front.ts';
import { startTestServer } from '../src/store/postgres/testing/postgres-server.ts';

type Project = { provide(key: 'servers', value: Record<string, string>): void };

/** Vitest's global set-up of the tests that run a second time, with stores on servers. Servers that variables name are used. */
export default async function startServers(project: Project): Promise<() => Promise<void>> {
  const directory = mkdtempSync(join(tmpdir(), 'heddle-front-'));
  const named = process.env.HEDDLE_TEST_CLICKHOUSE_URL;
  const front = named ? null : await startFront(directory);
  const postgres = await startTestServer();
  const bucket = await startBucket();
  project.provide('servers', {
    HEDDLE_TEST_CLICKHOUSE_URL: named ?? front!.url('default'),
    HEDDLE_TEST_POSTGRES_URL: await postgres.createDatabase(),
    ...(bucket ? { HEDDLE_TEST_S3_URL: `s3://heddle?endpoint=${bucket.endpoint}`, ...bucket.credentials } : {}),
  });
  return async () => {
    await Promise.all([front?.kill(), postgres.close(), bucket?.stop()]);
    rmSync(directory, { recursive: true, force: true });
  };
}

/** Without Python, files stay in the data directory. */
async function startBucket(): Promise<S3Server | null> {
  if (process.env.HEDDLE_TEST_S3_URL || !swiftEnvironment.isReady()) return null;
  return startSwift('heddle');
}

declare module 'vitest' {
  interface ProvidedContext {
    servers: Record<string, string>;
  }
}
