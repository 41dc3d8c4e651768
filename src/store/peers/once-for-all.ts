import type { Peers } from './peers.ts';

/** Does work that another process need not do at the same time. If one does it, nothing happens here. */
export async function onceForAll(peers: Pick<Peers, 'lease'>, name: string, work: () => Promise<void>): Promise<void> {
  const lease = await peers.lease(name, leaseMs);
  if (lease !== null) await work().finally(() => lease.release());
}

/** How long after the end of a process another one may do its work. */
const leaseMs = 10_000;
