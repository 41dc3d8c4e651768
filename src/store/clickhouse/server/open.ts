import { accessSync, constants } from 'node:fs';
import type { OpenedClickHouse } from '../../opened-store.ts';
import type { ReadLimits } from '../lanes/read-limits.ts';
import type { Layout } from '../layout.ts';
import { StoreError } from '../store-error.ts';
import { ClickHouseServerError, isTransient } from './errors.ts';
import { type Examined, examine } from './examine.ts';
import { openReplicasOf } from './replicas/open.ts';
import { openSingleHost } from './route.ts';
import { openServerClickHouse } from './server-clickhouse.ts';
import { describeServer, type HostAddress, hostsOf, type ServerAddress } from './server-url.ts';

export type ServerOptions = {
  address: ServerAddress;
  limits: ReadLimits;
  /** Into one table, by all processes together. */
  insertsPerSecondMax: number;
  /** On how many replicas a row must be before it is acknowledged. `auto`: on a majority, if there are three or more. */
  quorum?: 'auto' | 'majority' | 'off';
  /** Called with what happens to the replicas, for the log. */
  onChange?(message: string): void;
};

/** ClickHouse on a server, or on the replicas of a shard. @throws ClickHouseServerError with what to do */
export async function serverClickHouse(options: ServerOptions): Promise<OpenedClickHouse> {
  const { address, limits, insertsPerSecondMax } = options;
  const { layout, replicas } = await checkServers(address);
  const hasQuorum = replicas > 1 && isOn(options.quorum ?? 'auto', replicas);
  const { route, agree } = await openRoute({ ...options, layout, hasQuorum });
  const opened = openServerClickHouse({ route, layout, limits, insertsPerSecondMax, hasQuorum });
  const { store, probe, figures, shareLimits } = opened;
  return {
    name: 'ClickHouse',
    kind: 'server',
    address: describe(address, { layout, replicas }, hasQuorum),
    figures,
    store,
    agree,
    shareLimits,
    probe,
    whenSilent: 'wait', // a new process would not reach it either
    onDiskLevel: null,
    findDamage: async () => null,
    readAll: null,
    check: null,
  };
}

function isOn(quorum: 'auto' | 'majority' | 'off', replicas: number): boolean {
  return quorum === 'majority' || (quorum === 'auto' && replicas >= 3);
}

function describe(address: ServerAddress, { layout, replicas }: Examined, hasQuorum: boolean): string {
  const where = describeServer(address);
  if (layout.kind === 'cloud') return `${where} (ClickHouse Cloud)`;
  if (layout.kind !== 'replicas') return where;
  return `${where} (${replicas} replicas, inserts ${hasQuorum ? 'with' : 'without'} a quorum)`;
}

type Opened = { layout: Layout; hasQuorum: boolean };

async function openRoute({ address, limits, layout, hasQuorum, onChange }: ServerOptions & Opened) {
  if (layout.kind !== 'replicas') {
    return { route: openSingleHost({ address: hostsOf(address)[0], limits, layout }), agree: null };
  }
  const route = openReplicasOf({ address, limits, layout, hasQuorum, onChange: onChange ?? (() => {}) });
  try {
    await route.start();
    return { route, agree: route.agree };
  } catch (error) {
    await route.close();
    throw cannotUse(hostsOf(address)[0], wordsFor(error as Error, address));
  }
}

/** Replicas that do not answer are left out, unless none does. */
async function checkServers(address: ServerAddress): Promise<Examined> {
  let found: Examined | null = null;
  let silent: Error | null = null;
  for (const host of hostsOf(address)) {
    checkCertificate(host);
    try {
      const examined = await examine(host, address);
      found ??= examined;
    } catch (error) {
      const fault = cannotUse(host, wordsFor(error as Error, address));
      if (!(error instanceof StoreError && isTransient(error))) throw fault;
      silent ??= fault;
    }
  }
  if (found === null) throw silent;
  return found;
}

function checkCertificate(host: HostAddress): void {
  const { rootCertificate: file } = host;
  try {
    if (file !== null) accessSync(file, constants.R_OK);
  } catch (error) {
    throw cannotUse(host, `${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function wordsFor(error: Error, { user, database }: ServerAddress): string {
  if (error instanceof ClickHouseServerError) return error.message;
  if (!(error instanceof StoreError)) throw error;
  switch (error.code) {
    case 516:
    case 192:
    case 193:
    case 194:
      return `it refuses the password of the user ${user}`;
    case 497:
      return `the user ${user} lacks a grant, for the database ${database} or to make it (docs/scaling.md lists them)`;
    case 164:
    case 452:
      return `the user ${user} may not change settings, and heddle limits each statement by settings`;
    default:
      return isTransient(error)
        ? `it does not answer (${error.codeName})`
        : `it failed with ${error.codeName} (${error.code})`;
  }
}

function cannotUse({ origin, database }: HostAddress, found: string): ClickHouseServerError {
  return new ClickHouseServerError(
    `ClickHouse at ${origin}/${database} cannot be used: ${found}. Check HEDDLE_CLICKHOUSE_URL, and whether the server runs.`,
  );
}
