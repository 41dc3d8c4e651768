import { createHash } from 'node:crypto';
import type { CircuitState } from './circuit.ts';

export type Choosable = {
  address: string;
  circuitState: CircuitState;
  /** Requests of this process. */
  inFlight: number;
  /** Requests of everybody that run or wait there. */
  load: number;
  /** Those that wait. */
  waiting: number;
};

/**
 * The server for a request. By rendezvous hashing, requests with the same key go to the same server, which keeps the beginning of
 * their prompts; when a server comes or goes, only its own keys move. A server that is busier than others is passed over for the
 * least busy one.
 */
export function chooseServer<Server extends Choosable>(
  servers: readonly Server[],
  key: string | null,
): Server | undefined {
  const able = choosable(servers);
  const least = able.toSorted((a, b) => a.load - b.load || a.waiting - b.waiting)[0];
  if (!least || key === null) return least;
  const first = able.reduce((a, b) => (scoreOf(a, key) > scoreOf(b, key) ? a : b));
  return isOverloaded(first, able) && least.load < first.load ? least : first;
}

function choosable<Server extends Choosable>(servers: readonly Server[]): Server[] {
  const closed = servers.filter(({ circuitState }) => circuitState === 'closed');
  const halfOpen = servers.filter(({ circuitState }) => circuitState === 'halfOpen');
  const trials = halfOpen.filter(({ inFlight }) => inFlight === 0);
  const able = [...closed, ...trials];
  return able.length > 0 ? able : halfOpen;
}

/** Requests wait there although another server has none, or it has clearly more than its share. */
function isOverloaded(server: Choosable, all: readonly Choosable[]): boolean {
  if (server.waiting > 0 && all.some(({ waiting }) => waiting === 0)) return true;
  const mean = (all.reduce((sum, { load }) => sum + load, 0) + 1) / all.length;
  return server.load + 1 > Math.max(loadAlwaysTaken, mean * shareMax);
}

/** Kept prompts save more than so few other requests cost. */
const loadAlwaysTaken = 8;
const shareMax = 1.5;

function scoreOf({ address }: Choosable, key: string): string {
  return createHash('sha256').update(`${address} ${key}`).digest('hex');
}
