import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Heddle, newDataDirectory, startHeddle } from '../harness/heddle.ts';
import { swiftEnvironment } from './environment.ts';
import { type RemoteStores, startRemoteStores } from './remote-stores.ts';

const root = join(import.meta.dirname, '../..');

/** This heddle with one more migration of each store, as a later version may have. */
function makeNewer(): string {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-newer-'));
  for (const name of readdirSync(root)) {
    if (name !== 'src' && name !== '.git') symlinkSync(join(root, name), join(folder, name));
  }
  cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true });
  writeFileSync(
    join(folder, 'src/store/postgres/migrations/9000_novelties.sql'),
    `CREATE TABLE novelties (id text PRIMARY KEY, project_id text REFERENCES projects (id));
     ALTER TABLE projects ADD COLUMN novelty text;
     ALTER TABLE object_versions ADD COLUMN novelty text NOT NULL DEFAULT '';`,
  );
  writeFileSync(
    join(folder, 'src/store/clickhouse/migrations/9000_novelties.sql'),
    `ALTER TABLE calls ADD COLUMN IF NOT EXISTS novelty String DEFAULT 'none' AFTER usage;
     CREATE TABLE IF NOT EXISTS novelties (id String) ENGINE = MergeTree ORDER BY id;`,
  );
  return folder;
}

describe.skipIf(!swiftEnvironment.isReady())('two versions that share all stores', () => {
  let stores: RemoteStores;
  let settings: Record<string, string>;
  const newer = makeNewer();
  const data = { old: newDataDirectory(), new: newDataDirectory() };
  const running: Heddle[] = [];

  beforeAll(async () => {
    stores = await startRemoteStores();
    settings = await stores.newDeployment();
  });
  afterAll(async () => {
    await Promise.all(running.map((each) => each.end('SIGKILL')));
    for (const each of [newer, data.old, data.new]) rmSync(each, { recursive: true, force: true });
    await stores?.close();
  });

  async function start(version: 'old' | 'new'): Promise<Heddle> {
    const command = [process.execPath, '--liftoff-only', join(version === 'new' ? newer : root, 'src/cli/entry.mjs')];
    const started = await startHeddle(data[version], settings, command);
    running.push(started);
    return started;
  }

  const project = 'ent/upgrade';
  let written = 0;

  /** Writes a call and an object at each server, and finds all that were written before at each. */
  async function use(...servers: Heddle[]): Promise<void> {
    for (const server of servers) {
      const id = crypto.randomUUID();
      const times = { started_at: new Date().toISOString(), ended_at: new Date().toISOString() };
      const start = { project_id: project, id, trace_id: id, op_name: 'op', attributes: {}, inputs: {}, ...times };
      expect((await server.post('/call/start', { start })).status).toBe(200);
      const end = { project_id: project, id, ended_at: times.ended_at, summary: {}, output: 1 };
      expect((await server.post('/call/end', { end })).status).toBe(200);
      const obj = { project_id: project, object_id: `o${written}`, val: { written } };
      expect((await server.post('/obj/create', { obj })).status).toBe(200);
      written++;
    }
    for (const server of servers) {
      const calls = await server.post('/calls/stream_query', { project_id: project });
      expect(calls.lines.filter(({ ended_at }) => ended_at !== null)).toHaveLength(written);
      expect((await server.post('/objs/query', { project_id: project })).json.objs).toHaveLength(written);
    }
  }

  async function change(sql: string): Promise<void> {
    const client = new pg.Client(settings.HEDDLE_POSTGRES_URL);
    await client.connect();
    await client.query(sql);
    await client.end();
  }

  test('both write while the newer one migrates and afterwards, and restart in either order', async () => {
    let old = await start('old');
    await use(old);
    let later = await start('new');
    await use(old, later);
    await old.end('SIGTERM');
    await use(later);
    old = await start('old');
    await use(old, later);
    await later.end('SIGTERM');
    await use(old);
    later = await start('new');
    await use(later, old);

    await change('UPDATE heddle.schema_migrations SET is_additive = false WHERE number = 9000');
    await old.end('SIGTERM');
    await expect(start('old')).rejects.toThrow(/written by a newer heddle .* Start that newer heddle/);
    await use(later);
  }, 180_000);
});
