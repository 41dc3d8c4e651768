import { expect } from 'vitest';
import { newId } from '../../../../contract/ids.ts';
import { openAccounts } from '../../../../identity/accounts.ts';
import { hashKey } from '../../../../identity/keys.ts';
import { openMembers } from '../../../../identity/members.ts';
import { openSessions } from '../../../../identity/sessions.ts';
import { openAlone } from '../../../peers/alone.ts';
import type { Postgres } from '../../postgres.ts';
import { type Cases, each, eachOrRefused, writers } from './case.ts';

const peers = openAlone();
const newName = () => `u${newId().replaceAll('-', '')}`;

export const identityCases: Cases = {
  async 'identity/accounts.ts ensureOwner'({ postgres }) {
    await postgres.db.updateTable('users').set({ is_owner: false }).execute();
    const keys = await each((index) =>
      openAccounts(postgres, peers).ensureOwner({ name: `owner${index}`, apiKey: '' }),
    );
    expect(keys.filter((key) => key !== null)).toHaveLength(1);
    const owners = await postgres.db.selectFrom('users').select('id').where('is_owner', '=', true).execute();
    expect(owners).toHaveLength(1);
  },

  async 'identity/accounts.ts createUser'({ postgres }) {
    const name = newName();
    const { values, refusals } = await eachOrRefused(() => openAccounts(postgres, peers).createUser(name));
    expect(values).toHaveLength(1);
    expect(new Set(refusals)).toEqual(new Set(['conflict']));
  },

  async 'identity/accounts.ts createKey'({ postgres }) {
    const accounts = openAccounts(postgres, peers);
    const { username: user } = await accounts.createUser(newName());
    for (let i = 0; i < 200 - writers.length / 2; i++) await accounts.createKey({ user });
    const { values, refusals } = await eachOrRefused(() => accounts.createKey({ user }));
    expect(values).toHaveLength(writers.length / 2);
    expect(new Set(refusals)).toEqual(new Set(['conflict']));
  },

  async 'identity/accounts.ts revoke'({ postgres }) {
    const accounts = openAccounts(postgres, peers);
    const { username: user } = await accounts.createUser(newName());
    const { id } = await accounts.createKey({ user });
    const { values, refusals } = await eachOrRefused(() => accounts.revokeKeyById(id));
    expect(values.length).toBeGreaterThan(0);
    expect(refusals.every((kind) => kind === 'notFound')).toBe(true);
    const [key] = await accounts.listKeys(user);
    expect(values.map(({ revokedAt }) => revokedAt)).toContainEqual(key!.revokedAt);
  },

  async 'identity/members.ts addMember'({ postgres }) {
    const members = openMembers(postgres, peers);
    const [username, entity] = [newName(), newName()];
    const asNew = await eachOrRefused(() => members.addMember(entity, username));
    expect(asNew.values).toHaveLength(1);
    expect(new Set(asNew.refusals)).toEqual(new Set(['conflict']));
    const other = newName();
    const asKnown = await eachOrRefused(() => members.addMember(other, username));
    expect(asKnown.values).toHaveLength(1);
    expect(new Set(asKnown.refusals)).toEqual(new Set(['conflict']));
  },

  async 'identity/members.ts removeMember'({ postgres }) {
    const members = openMembers(postgres, peers);
    const username = newName();
    const entities = writers.map(newName);
    for (const entity of entities) await members.addMember(entity, username);
    const { refusals } = await eachOrRefused((index) => members.removeMember(entities[index >> 1]!, username));
    expect(refusals).toEqual(Array(writers.length / 2).fill('notFound'));
    expect(entities.slice(writers.length / 2)).toContain(await defaultEntityOf(postgres, username));
  },

  async 'identity/sessions.ts start'({ postgres }) {
    const [accounts, sessions] = [openAccounts(postgres, peers), openSessions(postgres, peers)];
    const { username: user, id: userId } = await accounts.createUser(newName());
    for (const _round of writers) {
      const { id, key } = await accounts.createKey({ user });
      const started = writers.map(() => sessions.signInWithKey(key));
      await Promise.all([...started, Promise.race(started).then(() => accounts.revokeKeyById(id))]);
      const left = await postgres.db.selectFrom('sessions').select('hash').where('user_id', '=', userId).execute();
      expect(left).toEqual([]);
    }
    const { key } = await accounts.createKey({ user });
    for (let i = 0; i < 50 - writers.length / 2; i++) await sessions.signInWithKey(key);
    const tokens = await each(async () => (await sessions.signInWithKey(key))!.token);
    const kept = await postgres.db.selectFrom('sessions').select('hash').where('user_id', '=', userId).execute();
    expect(kept).toHaveLength(50);
    expect(kept.map(({ hash }) => hash)).toEqual(expect.arrayContaining(tokens.map(hashKey)));
  },
};

async function defaultEntityOf({ db }: Postgres, username: string): Promise<string> {
  const { name } = await db
    .selectFrom('users')
    .innerJoin('entities', 'entities.id', 'users.default_entity_id')
    .select('entities.name')
    .where('username', '=', username)
    .executeTakeFirstOrThrow();
  return name;
}
