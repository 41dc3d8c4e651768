import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openDisk } from './disk.ts';
import { DiskFullError, isDiskFull } from './disk-full.ts';

const path = mkdtempSync(join(tmpdir(), 'heddle-disk-'));
afterAll(() => rmSync(path, { recursive: true }));
const sizeBytes = statfsSync(path).bsize * statfsSync(path).blocks;

test('new data and deletions are admitted while there is room', () => {
  const disk = openDisk(path, { reserveBytes: 1024, isDefault: false });
  expect(disk.isShort()).toBe(false);
  disk.requireRoom();
  disk.requireRoomToDelete();
});

test('what would not leave the reserve free is refused with 507, the free bytes and the limit', () => {
  const disk = openDisk(path, { reserveBytes: sizeBytes * 2, isDefault: false });
  expect(disk.isShort()).toBe(true);
  expect(() => disk.requireRoom()).toThrow(DiskFullError);
  expect(() => disk.requireRoom()).toThrow(
    expect.objectContaining({
      kind: 'noSpace',
      message: expect.stringMatching(/\(\d+ bytes\) are free.+HEDDLE_DISK_RESERVE_BYTES=/),
    }),
  );
});

test('one write that is larger than what is left is refused alone', () => {
  const disk = openDisk(path, { reserveBytes: 1024, isDefault: false });
  expect(() => disk.requireRoom(sizeBytes)).toThrow(DiskFullError);
  disk.requireRoom(1);
});

test('the default reserve is at most an eighth of the disk, a configured one is taken as it is', () => {
  expect(openDisk(path, { reserveBytes: sizeBytes, isDefault: true }).reserveBytes).toBe(Math.floor(sizeBytes / 8));
  expect(openDisk(path, { reserveBytes: sizeBytes, isDefault: false }).reserveBytes).toBe(sizeBytes);
});

test.each([
  ['a file', Object.assign(new Error('write'), { code: 'ENOSPC' })],
  ['PostgreSQL', Object.assign(new Error('could not extend file'), { code: '53100' })],
  ['ClickHouse', new Error('Code: 243. DB::Exception: Cannot reserve 1.00 MiB, not enough space. (NOT_ENOUGH_SPACE)')],
  ['a cause', new Error('outer', { cause: new Error('write: No space left on device') })],
])('a failure of %s for want of space becomes a 507', (_of, error) => {
  const disk = openDisk(path, { reserveBytes: 1024, isDefault: false });
  expect(isDiskFull(error)).toBe(true);
  expect(disk.explain(error)).toMatchObject({ kind: 'noSpace', cause: error });
});

test('any failed write on a full disk becomes a 507, for the store may not say why', () => {
  const disk = openDisk(path, { reserveBytes: sizeBytes * 16, isDefault: false });
  const error = new Error('ClickHouse did not run INSERT on calls: CANNOT_WRITE_TO_FILE_DESCRIPTOR (75)');
  expect(disk.explain(error)).toBe(error);
  expect(disk.explainWrite(error)).toMatchObject({ kind: 'noSpace', cause: error });
});

test('other failures stay what they are', () => {
  const disk = openDisk(path, { reserveBytes: 1024, isDefault: false });
  const error = new Error('duplicate key');
  expect([disk.explain(error), disk.explainWrite(error)]).toEqual([error, error]);
});
