import { sql } from 'kysely';
import type { DeploymentId } from '../deployment-id.ts';
import type { Postgres } from './postgres.ts';

const table = sql.table('deployment');

/** Not a migration: it is read before the schema of what may be another deployment is changed. */
export function postgresDeployment({ db, changeSchema }: Postgres): DeploymentId {
  return {
    async read() {
      await changeSchema((script) => script('CREATE TABLE IF NOT EXISTS deployment (id text PRIMARY KEY)'));
      const { rows } = await sql<{ id: string }>`SELECT id FROM ${table} ORDER BY id LIMIT 1`.execute(db);
      return rows[0]?.id ?? null;
    },
    async write(id) {
      await db.transaction().execute(async (transaction) => {
        await sql`LOCK TABLE ${table} IN EXCLUSIVE MODE`.execute(transaction); // there is one id
        await sql`DELETE FROM ${table}`.execute(transaction);
        await sql`INSERT INTO ${table} (id) VALUES (${id})`.execute(transaction);
      });
    },
  };
}
