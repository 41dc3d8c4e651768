import { afterAll, expect, test } from 'vitest';
import { openCallStore } from './calls/testing/call-store.ts';
import { clickhouseDeployment } from './deployment-id.ts';

const store = await openCallStore();
afterAll(() => store.close());

test('the first of two ids counts, whatever its characters', async () => {
  const { agree, read } = clickhouseDeployment(store.clickhouse);
  const id = `it's \\ "one"`;
  expect(await read()).toBeNull();
  expect(await agree(id)).toBe(id);
  expect(await agree('another')).toBe(id);
  expect(await read()).toBe(id);
});
