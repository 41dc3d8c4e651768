import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { copyStoreTemplate } from '../../../api/testing/store-template.ts';
import { openEmbeddedPostgres } from '../embedded/embedded-postgres.ts';
import { migratePostgres } from '../migrate.ts';
import type { Postgres } from '../postgres.ts';
import { serverPostgres } from '../server/open.ts';
import { parseServerUrl } from '../server/server-url.ts';

/** A store for tests that can be opened again: embedded, or a schema of the server that `HEDDLE_TEST_POSTGRES_URL` names. */
export type TestStore = {
  open(): Promise<Postgres>;
  remove(): void;
};

export function newTestStore(): TestStore {
  const folder = copyStoreTemplate(inject('storeTemplate'), 'postgres');
  const url = process.env.HEDDLE_TEST_POSTGRES_URL;
  return {
    async open() {
      if (!url) return openEmbeddedPostgres(join(folder, 'postgres'));
      const schema = `store_${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`;
      const address = parseServerUrl(`${url}${url.includes('?') ? '&' : '?'}schema=${schema}`);
      const { store } = await serverPostgres({ address, direct: address, connectionsMax: 5, waitMsMax: 5000 });
      await migratePostgres(store);
      return store;
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}
