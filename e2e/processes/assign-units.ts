import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { Assigner } from '../../src/domain/policies/assign.ts';
import { latestOfAll } from '../../src/store/postgres/policies/policies.ts';
import { connectionOptions } from '../../src/store/postgres/server/connection-options.ts';
import { openStore } from '../../src/store/postgres/server/open.ts';
import { openPool } from '../../src/store/postgres/server/pool.ts';
import { parseServerUrl } from '../../src/store/postgres/server/server-url.ts';

export type AssignedUnits = {
  version: number;
  /** A digest of the variants of all threads, in their order. */
  digest: string;
  counts: Record<string, number>;
  /** The variants of the first threads. */
  first: string[];
};

/** Assigns the threads `t0`, `t1` … in a process of its own, which reads the active version of a policy from PostgreSQL. */
export async function assignElsewhere(url: string, policy: string, threads: number): Promise<AssignedUnits> {
  const words = [import.meta.filename, url, policy, String(threads)];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  return JSON.parse(stdout);
}

async function assign(url: string, name: string, threads: number): Promise<AssignedUnits> {
  const address = parseServerUrl(url);
  const pool = openPool(await connectionOptions(address), { connectionsMax: 1, answerMsMax: 10_000 });
  const held = {
    change: () => Promise.reject(new Error('the servers have migrated the schema')),
    close: async () => {},
  };
  const postgres = openStore(pool, address.schema, held);
  const found = (await latestOfAll(postgres)).find(({ policy }) => policy.name === name)!;
  await postgres.close();
  const assigner = new Assigner(found.version);
  const variants = Array.from(
    { length: threads },
    (_, i) => assigner.assign({ kind: 'thread', id: `t${i}` }).variant.name,
  );
  const counts: Record<string, number> = {};
  for (const variant of variants) counts[variant] = (counts[variant] ?? 0) + 1;
  const digest = createHash('sha256').update(variants.join()).digest('hex');
  return { version: found.version.number, digest, counts, first: variants.slice(0, 500) };
}

if (process.argv[1] === import.meta.filename) {
  const [url, name, threads] = process.argv.slice(2) as [string, string, string];
  process.stdout.write(JSON.stringify(await assign(url, name, Number(threads))));
}
