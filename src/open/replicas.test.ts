import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { copyStoreTemplate } from '../api/testing/store-template.ts';
import { readConfig } from '../config.ts';
import type { Context } from '../context.ts';
import { openLog } from '../log.ts';
import { type Front, startFront } from '../store/clickhouse/server/testing/start-front.ts';
import { openContext } from './context.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-front-'));
let data: string;
let front: Front;
beforeAll(async () => {
  front = await startFront(folder, { kind: 'cluster', replicas: 3 });
  data = copyStoreTemplate(inject('storeTemplate'), 'postgres');
});
afterAll(async () => {
  await front.kill();
  for (const each of [folder, data]) rmSync(each, { recursive: true, force: true });
});

function start(): Promise<Context> {
  const variables = { HEDDLE_DATA: data, HEDDLE_LOG_LEVEL: 'fatal', HEDDLE_CLICKHOUSE_URL: front.url('traces') };
  const config = readConfig({}, variables);
  return openContext(config, openLog(config));
}

const lineOf = (digest: string) => Buffer.from(`${JSON.stringify({ project_id: 'p', digest, value: '1' })}\n`);
const read = ({ clickhouse }: Context) =>
  clickhouse.query<{ digest: string }>("SELECT digest FROM object_values WHERE project_id = 'p' ORDER BY digest");
const hasBoth = [{ digest: 'a' }, { digest: 'b' }];

test('a deployment goes on at another replica, and uses it again after a restart', async () => {
  const first = await start();
  await first.clickhouse.insert('object_values', lineOf('a'));
  await front.set({ isDead: true });
  await first.clickhouse.insert('object_values', lineOf('b'));
  expect(await read(first)).toEqual(hasBoth);
  expect(await first.health.ask(5_000)).toEqual([]);
  await first.close();
  await front.set({ isDead: false, lags: true });
  const again = await start();
  expect(await read(again)).toEqual(hasBoth);
  const used = await again.postgres.db.selectFrom('clickhouse_servers').selectAll().execute();
  expect(used).toEqual([{ name: 'main', replica: front.origins[1], term: 2, is_ready: true }]);
  await again.close();
}, 60_000);
