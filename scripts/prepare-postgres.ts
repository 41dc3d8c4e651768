import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { emptyClusterFile, writeEmptyCluster } from '../src/store/postgres/embedded/empty-cluster.ts';
import { openLastingPglite } from '../src/store/postgres/embedded/lasting-pglite.ts';

/**
 * Makes the empty PostgreSQL cluster that first starts copy (`npm ci` in a clone and `npm pack` run it), unless there is one of
 * this version. Without it, a first start takes some seconds more.
 */
if (!existsSync(emptyClusterFile)) {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-postgres-'));
  try {
    const directory = join(folder, 'postgres');
    const pglite = await openLastingPglite(directory);
    await pglite.close();
    writeEmptyCluster(directory);
    removeOthers();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Those of earlier versions. Another process may be writing this one under a longer name. */
function removeOthers(): void {
  const folder = dirname(emptyClusterFile);
  const others = readdirSync(folder).filter((name) => !name.startsWith(basename(emptyClusterFile)));
  for (const name of others) rmSync(join(folder, name), { force: true });
}
