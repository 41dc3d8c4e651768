import { sql } from 'kysely';
import { expect } from 'vitest';
import { openReplicaAgreement } from '../../clickhouse-servers/replica-agreement.ts';
import { postgresDeployment } from '../../deployment-id.ts';
import { type Cases, each } from './case.ts';

export const deploymentCases: Cases = {
  /** The store has one id. */
  async 'store/postgres/deployment-id.ts alone'({ postgres }) {
    const deployment = postgresDeployment(postgres);
    await deployment.read(); // makes its table
    const agreed = await each((index) => deployment.agree(`first-${index}`));
    expect(new Set(agreed)).toEqual(new Set([await deployment.read()]));
    await each((index) => deployment.write(`id-${index}`));
    const { rows } = await sql`SELECT id FROM ${sql.table('deployment')}`.execute(postgres.db);
    expect(rows).toEqual([{ id: expect.stringMatching(/^id-/) }]);
  },

  /** Of several processes that choose a replica at once, one does, and all of them are behind until they renew their leases. */
  async 'store/postgres/clickhouse-servers/replica-agreement.ts renew'({ postgres }) {
    const processes = await each(async () => openReplicaAgreement(postgres, { isAlone: false }));
    const term = (await each((index) => processes[index]!.renew(0)))[0]!.term;
    await each((index) => processes[index]!.choose(term, `replica ${index}`));
    const behind = (await each((index) => processes[index]!.renew(term))).map((agreed) => agreed.behind);
    expect(behind).toEqual(Array(processes.length).fill(processes.length));
    const agreed = await each((index) => processes[index]!.renew(term + 1));
    expect(new Set(agreed.map(({ value }) => value)).size).toBe(1);
    expect(new Set(agreed.map((each) => each.term))).toEqual(new Set([term + 1]));
    expect((await processes[0]!.renew(term + 1)).behind).toBe(0);
    await each((index) => processes[index]!.leave());
  },
};
