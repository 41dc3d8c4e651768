import type { ReadLimits } from '../../lanes/read-limits.ts';
import type { Layout } from '../../layout.ts';
import { newestMigration } from '../../migrate.ts';
import { ClickHouseServerError } from '../errors.ts';
import { openHost } from '../host.ts';
import { type HostAddress, hostsOf, type ServerAddress } from '../server-url.ts';
import { prepareReplica } from './prepare.ts';
import { isGone } from './probe.ts';
import { openReplicas, type Replicas } from './replicas.ts';

type Options = {
  address: ServerAddress;
  limits: ReadLimits;
  layout: Layout & { kind: 'replicas' };
  hasQuorum: boolean;
  onChange(message: string): void;
};

/** The replicas at an address. */
export function openReplicasOf({ address, limits, layout, hasQuorum, onChange }: Options): Replicas {
  const hosts = new Map<string, HostAddress>(hostsOf(address).map((host) => [host.origin, host]));
  let tablesAt: string | null = null;
  const preparationOf = (origin: string) => ({
    isReplicatedDatabase: layout.cluster === null,
    hasQuorum,
    newestMigration: newestMigration(layout),
    onMissingRows: () =>
      onChange(
        `ClickHouse at ${origin} is used without rows that only another replica has, which does not answer: they show again with it`,
      ),
  });
  return openReplicas({
    origins: address.origins,
    onChange,
    actions: {
      open: (origin) => openHost(hosts.get(origin)!, limits, layout),
      isGone: (origin) => isGone(hosts.get(origin)!),
      async prepare(origin) {
        const found = await prepareReplica(hosts.get(origin)!, preparationOf(origin));
        if (found !== null && tablesAt !== null && found !== tablesAt) {
          throw new ClickHouseServerError('its tables are not replicas of those at the other hosts');
        }
        tablesAt = found ?? tablesAt;
      },
    },
  });
}
