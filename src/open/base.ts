import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { type Metrics, openMetrics } from '../metrics/metrics.ts';
import { type DataDirectory, openDataDirectory } from '../store/data-directory.ts';
import { type Disk, openDisk } from '../store/disk/disk.ts';
import { probeDataPath } from '../store/probe-path.ts';
import type { Kinds } from './kinds.ts';
import type { Opened } from './opened.ts';
import { kindsOf } from './remembered-kinds.ts';
import { requireSecretKey } from './required-key.ts';

/** What there is before the stores: the data directory, which belongs to this process, and where each store is. */
export type Base = {
  config: Config;
  kinds: Kinds;
  log: Log;
  directory: DataDirectory;
  disk: Disk;
  metrics: Metrics;
};

/** @throws DataDirectoryError */
export async function openBase(config: Config, log: Log, opened: Opened): Promise<Base> {
  await probeDataPath(config.data);
  const directory = opened.add(openDataDirectory(config.data));
  const kinds = kindsOf(config, directory);
  requireSecretKey(config, kinds, directory.path);
  const disk = opened.add(
    openDisk(directory.path, {
      reserveBytes: config.diskReserveBytes,
      isDefault: config.sources.diskReserveBytes === undefined,
    }),
  );
  if (directory.isNew) disk.requireRoomForNew();
  disk.releaseBallastWhenFull();
  const metrics = opened.add(openMetrics());
  return { config, kinds, log, directory, disk, metrics };
}
