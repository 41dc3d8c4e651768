import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ProjectId } from '../../contract/ids.ts';
import { openBlobDirectory } from '../../store/blobs/directory/blob-directory.ts';
import { addDeletedBlobs } from '../../store/postgres/artifacts/deleted-blobs.ts';
import type { Postgres } from '../../store/postgres/postgres.ts';
import { newTestStore } from '../../store/postgres/testing/test-postgres.ts';
import { artifactKeys } from './artifact-keys.ts';
import { emptyBlobs, emptyDeletedBlobs, usableKeys } from './deleted-blobs.ts';

const store = newTestStore();
const folder = mkdtempSync(join(tmpdir(), 'heddle-deleted-blobs-'));
const blobs = openBlobDirectory(folder);
let postgres: Postgres;
beforeAll(async () => {
  postgres = await store.open();
});
afterAll(async () => {
  await postgres.close();
  store.remove();
  rmSync(folder, { recursive: true });
});

const keyOf = (md5: string) => artifactKeys.file('p' as ProjectId, md5);
const usable = async (key: string) => (await usableKeys({ postgres }, [key])).get(key);
const now = { emptyAfterSeconds: 0, forgetAfterSeconds: 3600 };

test('content whose blob is being deleted gets another key, again and again', async () => {
  const key = keyOf('a');
  expect(await usable(key)).toBe(key);
  await addDeletedBlobs(postgres, [key]);
  expect(await usable(key)).toBe(`${key}-1`);
  await addDeletedBlobs(postgres, [`${key}-1`]);
  expect([...(await usableKeys({ postgres }, [key, keyOf('b')])).values()]).toEqual([`${key}-2`, keyOf('b')]);
});

test('what an interrupted request has left is deleted later, and other blobs are not', async () => {
  const [left, other] = [keyOf('c'), keyOf('d')];
  for (const key of [left, other, `${left}-1`]) await blobs.put(key, Buffer.from('x'));
  await addDeletedBlobs(postgres, [left]);
  await emptyDeletedBlobs({ postgres, blobs }, { ...now, emptyAfterSeconds: 3600 }); // it may still be under way
  expect(await blobs.size(left)).toBe(1);
  await emptyDeletedBlobs({ postgres, blobs }, now);
  expect(await Promise.all([left, other, `${left}-1`].map((key) => blobs.size(key)))).toEqual([null, 1, 1]);
  expect(await usable(left)).toBe(`${left}-1`);
});

test('a key can be used again once nothing deletes it any more', async () => {
  const key = keyOf('e');
  await addDeletedBlobs(postgres, [key]);
  await emptyDeletedBlobs({ postgres, blobs }, now);
  await emptyDeletedBlobs({ postgres, blobs }, { emptyAfterSeconds: 3600, forgetAfterSeconds: 0 });
  expect(await usable(key)).toBe(key);
});

test('a blob store that is away leaves the deletion for later', async () => {
  const gone = { ...blobs, deleteMany: () => Promise.reject(new Error('away')) };
  await emptyBlobs({ blobs: gone }, [keyOf('f')]);
  await addDeletedBlobs(postgres, [keyOf('f')]);
  await expect(emptyDeletedBlobs({ postgres, blobs: gone }, now)).rejects.toThrow('away');
  await blobs.put(keyOf('f'), Buffer.from('x'));
  await emptyDeletedBlobs({ postgres, blobs }, now);
  expect(await blobs.size(keyOf('f'))).toBeNull();
});
