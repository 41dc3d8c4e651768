import { randomUUID } from 'node:crypto';
import { ConfigError } from '../config.ts';
import { clickhouseDeployment } from '../store/clickhouse/deployment-id.ts';
import type { DataDirectory } from '../store/data-directory.ts';
import { type DeploymentId, isUnfinishedCopy } from '../store/deployment-id.ts';
import type { Databases } from '../store/opened-store.ts';
import { postgresDeployment } from '../store/postgres/deployment-id.ts';
import { type SecretKey, secretKeyName } from '../store/secret-key.ts';
import { type Kinds, settingOf } from './kinds.ts';
import { remember, remembered } from './remembered-kinds.ts';

type Part = { kind: keyof Kinds; name: string; ids: DeploymentId };

/**
 * Compares the ids of the parts, and gives a deployment its id at the first start. A part of another deployment has rows
 * that nothing here refers to, and lacks those that are referred to.
 * @throws ConfigError if they differ, if a part that this data directory was used with is a new one, or if a new data
 * directory lacks the key of the others
 */
export async function checkDeployment(
  directory: DataDirectory,
  kinds: Kinds,
  { databases, bucket, secretKey }: { databases: Databases; bucket: DeploymentId | null; secretKey: SecretKey },
): Promise<void> {
  const before = remembered(directory.path);
  const parts: Part[] = [
    { kind: 'clickhouse', name: 'ClickHouse', ids: clickhouseDeployment(databases.clickhouse.store) },
    { kind: 'postgres', name: 'PostgreSQL', ids: postgresDeployment(databases.postgres.store) },
  ];
  if (bucket !== null) parts.push({ kind: 'blobs', name: 'the bucket', ids: bucket });
  const found = await Promise.all(parts.map(async (part) => ({ ...part, id: await part.ids.read() })));
  const unfinished = found.find(({ id }) => isUnfinishedCopy(id));
  if (unfinished) {
    throw new ConfigError(
      `${unfinished.name} has only a part of a deployment: \`heddle move\` was interrupted. Run it again, with the same data directory as before.`,
    );
  }
  const own = before.deployment ?? null;
  const known: Known[] = [{ name: `the data directory ${directory.path}`, id: own }, ...found].filter(hasId);
  requireOne(known);
  const isAsBefore = ({ kind }: Part) => before[kind] === kinds[kind].kind;
  const fresh = found.find((part) => part.id === null && own !== null && isAsBefore(part));
  if (fresh) {
    throw new ConfigError(
      `${fresh.name} is empty, but ${directory.path} was used with another one. Check ${settingOf[fresh.kind]}, restore what is missing, or ` +
        'choose a new data directory with --data or HEDDLE_DATA.',
    );
  }
  const hasRecordsOfOthers = own === null && found.some(({ kind, id }) => kind === 'postgres' && id !== null);
  if (hasRecordsOfOthers && kinds.postgres.kind === 'server' && !secretKey.exists()) {
    throw new ConfigError(
      `PostgreSQL has the records of a deployment with other data directories, and ${directory.path} lacks their ${secretKeyName}. All processes ` +
        'of a deployment need the same key: set HEDDLE_SECRET_KEY to the content of that file, or copy it. If no process has one, set ' +
        'a new key everywhere. To generate one: openssl rand -hex 32',
    );
  }
  // The bucket decides first: if another process is starting with it for the first time, too, both get one id.
  for (const { name, id, ids } of found.toReversed()) {
    if (id !== null) continue;
    known.push({ name, id: await ids.agree(known[0]?.id ?? randomUUID()) });
    requireOne(known);
  }
  remember(directory, kinds, { deployment: known[0]!.id }); // last: then all parts have it
}

type Known = { name: string; id: string };

function hasId<Found extends { id: string | null }>(found: Found): found is Found & { id: string } {
  return found.id !== null;
}

function requireOne(known: Known[]): void {
  if (new Set(known.map(({ id }) => id)).size <= 1) return;
  const names = known.map(({ name, id }) => `${name} (${id.slice(0, 8)})`);
  throw new ConfigError(
    `These parts belong to different deployments: ${names.join(', ')}. Give the addresses and the data directory of one.`,
  );
}
