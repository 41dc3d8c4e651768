import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { copyStoreTemplate } from '../api/testing/store-template.ts';
import { readConfig } from '../config.ts';
import { openLog } from '../log.ts';
import { type Front, startFront } from '../store/clickhouse/server/testing/start-front.ts';
import { openContext } from './context.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-front-'));
const directories: string[] = [folder];
let front: Front;
beforeAll(async () => {
  front = await startFront(folder);
});
afterAll(async () => {
  await front.kill();
  for (const each of directories) rmSync(each, { recursive: true, force: true });
});

/** A data directory whose traces are on a server. */
function newDirectory(): string {
  const data = copyStoreTemplate(inject('storeTemplate'), 'postgres');
  directories.push(data);
  return data;
}

async function start(data: string, url: string): Promise<void> {
  const config = readConfig({}, { HEDDLE_DATA: data, HEDDLE_LOG_LEVEL: 'fatal', HEDDLE_CLICKHOUSE_URL: url });
  const context = await openContext(config, openLog(config));
  await context.close();
}

test('a deployment starts again with its parts', async () => {
  const data = newDirectory();
  await start(data, front.url('first'));
  await start(data, front.url('first'));
});

test('a database of another deployment is refused before its schema is touched', async () => {
  const [one, other] = [newDirectory(), newDirectory()];
  await start(one, front.url('one'));
  await start(other, front.url('other'));
  await expect(start(one, front.url('other'))).rejects.toThrow(
    /These parts belong to different deployments: the data directory .+, ClickHouse .+, PostgreSQL .+/,
  );
  await expect(start(newDirectory(), front.url('one'))).resolves.toBeUndefined(); // a new directory joins
});

test('of two that start with an empty database at the same moment, one is refused', async () => {
  const url = front.url('together');
  const starts = await Promise.allSettled([newDirectory(), newDirectory()].map((data) => start(data, url)));
  const refused = starts.filter(({ status }) => status === 'rejected');
  expect(refused).toMatchObject([{ reason: { message: expect.stringContaining('belong to different deployments') } }]);
});

test('an empty database is refused where another one was used', async () => {
  const data = newDirectory();
  await start(data, front.url('full'));
  const again = start(data, front.url('fresh'));
  await expect(again).rejects.toThrow(`ClickHouse is empty, but ${data} was used with another one.`);
  await start(data, front.url('full'));
});

test('a setting that is missing, or that comes beside own data, is refused', async () => {
  const data = newDirectory();
  await start(data, front.url('remembered'));
  await expect(start(data, '')).rejects.toThrow('was used with HEDDLE_CLICKHOUSE_URL, which is not set now');
  const own = copyStoreTemplate(inject('storeTemplate'), 'clickhouse');
  directories.push(own);
  await expect(start(own, front.url('beside'))).rejects.toThrow(/names a server, but .* has data that is not there/);
});
