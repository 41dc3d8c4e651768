import { openAlone } from '../store/peers/alone.ts';
import type { Peers } from '../store/peers/peers.ts';
import { openServerPeers } from '../store/postgres/peers/server-peers.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import { connectionOptions } from '../store/postgres/server/connection-options.ts';
import type { Base } from './base.ts';
import { canBeShared } from './kinds.ts';

/** The processes on the stores. A store in a data directory belongs to one. */
export async function openPeers({ kinds, log }: Pick<Base, 'kinds' | 'log'>, postgres: Postgres): Promise<Peers> {
  if (!canBeShared(kinds) || kinds.postgres.kind === 'embedded') return openAlone();
  return openServerPeers(postgres, {
    direct: await connectionOptions(kinds.postgres.direct),
    onError: (error, message) => log.error({ err: error }, message),
  });
}
