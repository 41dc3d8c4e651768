import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDisk } from '../../disk/disk.ts';
import { canMount, mountSmallDisk } from '../../disk/testing/small-disk.ts';
import { checkPages } from './check-pages.ts';
import { openLastingPglite } from './lasting-pglite.ts';

describe.skipIf(!canMount())('PostgreSQL on a disk without a free byte (needs the right to mount)', () => {
  test('stops when it cannot write its log, and is opened again with everything that was committed', async () => {
    const small = mountSmallDisk(160);
    const disk = openDisk(small.path, { reserveBytes: 40 * 1024 ** 2, isDefault: false });
    const events: string[] = [];
    const pglite = await openLastingPglite(join(small.path, 'postgres'), {
      beforeReopening: disk.releaseBallast,
      explain: disk.explain,
      onStopped: ({ message }) => events.push(message),
      onReopened: () => events.push('reopened'),
    });
    try {
      await pglite.exec('CREATE TABLE numbers (n integer); INSERT INTO numbers VALUES (1), (2)');
      disk.watch(() => {}); // makes the ballast
      small.fill(0);
      await expect(writeLogUntilItStops(pglite)).rejects.toMatchObject({ kind: 'noSpace' });
      expect(events).toEqual([expect.stringContaining('No space left on device')]);

      const { rows } = await pglite.query<{ sum: number }>('SELECT sum(n)::integer AS sum FROM numbers');
      expect(rows).toEqual([{ sum: 3 }]);
      expect(events.slice(1)).toEqual(['reopened']);

      small.empty();
      await pglite.exec('INSERT INTO numbers VALUES (3)');
      await pglite.exec('CHECKPOINT');
      expect(await checkPages(join(small.path, 'postgres'))).toMatchObject({ damaged: [] });
    } finally {
      disk.close();
      await pglite.close();
      small.remove();
    }
  });
});

/** Each statement writes a megabyte to the log and nothing else. */
async function writeLogUntilItStops(pglite: { exec(sql: string): Promise<unknown> }): Promise<void> {
  for (let megabyte = 0; megabyte < 400; megabyte++) {
    await pglite.exec("SELECT pg_logical_emit_message(true, 'test', repeat('x', 1000000))");
  }
}
