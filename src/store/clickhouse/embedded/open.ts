import type { Disk } from '../../disk/disk.ts';
import { openLatency } from '../../latency.ts';
import type { OpenedClickHouse } from '../../opened-store.ts';
import { StoreUnusableError } from '../../store-unusable.ts';
import type { ClickHouse } from '../clickhouse.ts';
import type { ReadLimits } from '../lanes/read-limits.ts';
import { checkParts, describeDamagedParts, findDamagedParts } from './damage.ts';
import { openEmbeddedClickHouse } from './embedded-clickhouse.ts';

/** ClickHouse inside the process, on a directory. @throws StoreUnusableError */
export async function embeddedClickHouse(
  directory: string,
  { limits, disk }: { limits: ReadLimits; disk: Pick<Disk, 'freeBytes'> },
): Promise<OpenedClickHouse> {
  const { store, version } = await openUsable(directory, limits);
  const latency = openLatency();
  const findDamage = async () => {
    const parts = await findDamagedParts(store.internal);
    if (parts.length === 0) return null;
    return {
      found: describeDamagedParts(parts),
      advice: `${restore} To go on without these rows, delete these parts.`,
    };
  };
  return {
    name: 'ClickHouse',
    kind: 'embedded',
    address: null,
    figures: () => ({
      version,
      latencySeconds: latency.seconds(),
      freeBytes: disk.freeBytes(),
      usedBytes: null,
    }),
    store,
    agree: null,
    shareLimits: null,
    probe: () => latency.measure(() => store.internal.query('SELECT 1')),
    whenSilent: 'end the process',
    // A merge that cannot finish would only be tried again and again.
    onDiskLevel: (level) => store.command(level === 'full' ? 'SYSTEM STOP MERGES' : 'SYSTEM START MERGES'),
    findDamage,
    readAll: null,
    async check({ readingMsMax }) {
      const damage = await findDamage();
      if (damage !== null) return { read: '', damage };
      const { checked, total, damaged } = await checkParts(store.internal, readingMsMax);
      const read = `${checked} of ${total} parts read`;
      return {
        read,
        damage: damaged.length === 0 ? null : { found: `damaged: ${damaged.join('; ')}`, advice: restore },
      };
    },
  };
}

const restore = 'Restore the data directory from a backup.';

/** Tables are loaded with the first statement: what is wrong with their files shows then. */
async function openUsable(directory: string, limits: ReadLimits): Promise<{ store: ClickHouse; version: string }> {
  try {
    const store = openEmbeddedClickHouse(directory, limits);
    const [found] = await store.query<{ version: string }>('SELECT version() AS version, count() FROM system.parts');
    return { store, version: found!.version };
  } catch (error) {
    const found = (error as Error).message.split('\n', 1)[0]!;
    throw new StoreUnusableError('ClickHouse', directory, found, { cause: error });
  }
}
