import type { Log } from '../log.ts';
import type { Disk } from '../store/disk/disk.ts';
import type { OpenedStore, WatchedStore } from '../store/opened-store.ts';
import { openStoreHealth, type StoreHealth } from '../store/store-health.ts';

type AnyStore = Omit<OpenedStore<unknown>, 'store'>;

/** Says when writes begin and end to be refused. */
export function watchDisk(disk: Disk, stores: AnyStore[], log: Log): void {
  let last: Promise<unknown> = Promise.resolve();
  disk.watch((level, found) => {
    if (level === 'roomy') log.info(`${found}: writes are accepted again`);
    else log.error(`${found}: ${level === 'full' ? 'writes and deletions' : 'new data'} are refused with 507`);
    for (const { name, onDiskLevel } of stores) {
      last = last
        .then(() => onDiskLevel?.(level))
        .catch((error) => log.error({ err: error }, `${name} goes on as before`));
    }
  });
}

/** Damage is reported at each start, and by `heddle doctor`, until somebody acts on it. */
export async function reportDamage(stores: AnyStore[], log: Log): Promise<void> {
  for (const { name, findDamage, readAll } of stores) {
    const report = (damage: Awaited<ReturnType<typeof findDamage>>) => {
      if (damage !== null) log.error(`${name}: ${damage.found}. ${damage.advice}`);
    };
    report(await findDamage());
    readAll?.().then(report, () => {}); // the store may be closed before all is read
  }
}

export function watchStores(stores: WatchedStore[], log: Log): StoreHealth {
  return openStoreHealth(Object.fromEntries(stores.map(({ name, probe }) => [name, probe])), {
    onChange(store, problem) {
      if (problem === null) log.info(`${store} answers again`);
      else log.error(problem);
    },
    onDead(dead, problem) {
      if (stores.find(({ name }) => name === dead)?.whenSilent !== 'end the process') return;
      log.fatal(`${problem}: ending, so that heddle can be started again; what was acknowledged is on the disk`);
      process.kill(process.pid, 'SIGKILL'); // an orderly exit would wait for the store
    },
  });
}
