import { type Kysely, sql, type Transaction } from 'kysely';
import type { DeploymentId } from '../deployment-id.ts';
import type { Postgres } from './postgres.ts';
import type { Database } from './schema.ts';

const table = sql.table('deployment');

/** Not a migration: it is read before the schema of what may be another deployment is changed. */
export function postgresDeployment({ db, changeSchema }: Postgres): DeploymentId {
  const first = async (reader: Kysely<Database>) => {
    const { rows } = await sql<{ id: string }>`SELECT id FROM ${table} ORDER BY id LIMIT 1`.execute(reader);
    return rows[0]?.id ?? null;
  };
  /** There is one id: nobody else writes one meanwhile. */
  const alone = <Result>(work: (transaction: Transaction<Database>) => Promise<Result>) =>
    db.transaction().execute(async (transaction) => {
      await sql`LOCK TABLE ${table} IN EXCLUSIVE MODE`.execute(transaction);
      return work(transaction);
    });
  const insert = (transaction: Transaction<Database>, id: string) =>
    sql`INSERT INTO ${table} (id) VALUES (${id})`.execute(transaction);
  return {
    async read() {
      await changeSchema((script) => script('CREATE TABLE IF NOT EXISTS deployment (id text PRIMARY KEY)'));
      return first(db);
    },
    write: (id) =>
      alone(async (transaction) => {
        await sql`DELETE FROM ${table}`.execute(transaction);
        await insert(transaction, id);
      }),
    agree: (id) =>
      alone(async (transaction) => {
        const found = await first(transaction);
        if (found === null) await insert(transaction, id);
        return found ?? id;
      }),
  };
}
