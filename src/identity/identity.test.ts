import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openAlone } from '../store/peers/alone.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import { newTestStore } from '../store/postgres/testing/test-postgres.ts';
import type { Caller } from './callers.ts';
import { type Identity, openIdentity } from './identity.ts';

const store = newTestStore();
let postgres: Postgres;
let identity: Identity;
let ownerKey: string;
let owner: Caller;
let member: Caller;

beforeAll(async () => {
  postgres = await store.open();
  identity = openIdentity(postgres, openAlone());
  ownerKey = (await identity.ensureOwner({ name: 'ada', apiKey: '' }))!;
  owner = (await identity.authenticate(bearer(ownerKey)))!;
  await identity.createUser('ben');
  const { key } = await identity.createKey({ user: 'ben' });
  member = (await identity.authenticate(bearer(key)))!;
});

afterAll(async () => {
  await postgres.close();
  store.remove();
});

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const basic = (user: string, key: string) => ({ authorization: `Basic ${btoa(`${user}:${key}`)}` });

describe('the owner', () => {
  test('is made once, with a key of 40 letters and digits or more', async () => {
    expect(ownerKey).toMatch(/^[A-Za-z0-9]{40,}$/);
    expect(await identity.ensureOwner({ name: 'eve', apiKey: '' })).toBeNull();
    expect(owner).toMatchObject({ username: 'ada', isOwner: true, defaultEntity: 'ada' });
  });

  test("'s plain key appears nowhere in the database", async () => {
    const schema = readFileSync(new URL('../store/postgres/schema.generated.sql', import.meta.url), 'utf8');
    const tables = [...schema.matchAll(/^CREATE TABLE (\w+)/gm)].map(([, name]) => name!);
    expect(tables).toContain('api_keys');
    for (const name of tables) {
      const { rows } = await sql`SELECT * FROM ${sql.table(name)}`.execute(postgres.db);
      expect(JSON.stringify(rows)).not.toContain(ownerKey);
    }
  });
});

describe('a key', () => {
  test('is taken as Bearer, as the password of any Basic user, and in wandb-api-key', async () => {
    for (const headers of [bearer(ownerKey), basic('api', ownerKey), basic('anyone', ownerKey), basic('', ownerKey)]) {
      expect(await identity.authenticate(headers)).toEqual(owner);
    }
    expect(await identity.authenticate({ 'wandb-api-key': ownerKey })).toEqual(owner);
  });

  test('is refused when absent, wrong or malformed', async () => {
    const wrong = ownerKey.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'));
    for (const headers of [{}, bearer(wrong), bearer(''), basic('api', wrong), { authorization: 'Basic %%%' }]) {
      expect(await identity.authenticate(headers)).toBeNull();
    }
  });

  test('is refused at once when it has been revoked', async () => {
    const { id, key } = await identity.createKey({ name: 'laptop' });
    expect(await identity.authenticate(bearer(key))).toEqual(owner);
    await identity.revokeKey(id);
    expect(await identity.authenticate(bearer(key))).toBeNull();
  });

  test('revoked while it is being looked up is not remembered as valid', async () => {
    const { id, key } = await identity.createKey({ name: 'race' });
    await Promise.all([identity.authenticate(bearer(key)), identity.revokeKey(id)]);
    expect(await identity.authenticate(bearer(key))).toBeNull();
  });

  test('can be revoked by its ending, and only once', async () => {
    const { key } = await identity.createKey({ name: 'phone' });
    expect(await identity.revokeKey(key.slice(-4))).toMatchObject({ name: 'phone', ending: key.slice(-4) });
    await expect(identity.revokeKey(key.slice(-4))).rejects.toMatchObject({ kind: 'notFound' });
  });

  test('is listed without its text', async () => {
    const keys = await identity.listKeys();
    expect(keys[0]).toMatchObject({ user: 'ada', ending: ownerKey.slice(-4), revokedAt: null });
    expect(JSON.stringify(keys)).not.toContain(ownerKey);
  });

  test('for a user who does not exist is refused', async () => {
    await expect(identity.createKey({ user: 'nobody' })).rejects.toMatchObject({ kind: 'notFound' });
  });
});

describe('a project', () => {
  test.each(['', 'ada', 'ada/', '/p', 'ada/p/q', 'ada//p', 'ada/p\n', `ada/${'p'.repeat(129)}`, 'ada/\ud800'])(
    'named %j is refused as malformed',
    async (name) => {
      await expect(identity.projectForRead(owner, name)).rejects.toMatchObject({ kind: 'invalidInput' });
      await expect(identity.projectForWrite(owner, name)).rejects.toMatchObject({ kind: 'invalidInput' });
      expect(await identity.readableProject(owner, name)).toBeNull();
    },
  );

  test('that was never written is a 404 to read', async () => {
    await expect(identity.projectForRead(owner, 'ada/never')).rejects.toMatchObject({ kind: 'notFound' });
    await expect(identity.projectForRead(owner, 'nowhere/never')).rejects.toMatchObject({ kind: 'notFound' });
  });

  test('is made by its first write and keeps its id', async () => {
    const id = await identity.projectForWrite(owner, 'ada/first');
    expect(await identity.projectForWrite(owner, 'ada/first')).toBe(id);
    expect(await openIdentity(postgres, openAlone()).projectForRead(owner, 'ada/first')).toBe(id);
    expect(await openIdentity(postgres, openAlone()).projectName(id)).toBe('ada/first');
    expect(identity.cachedProject(owner, 'ada/first')).toBe(id);
    expect(identity.cachedProjectName(id)).toBe('ada/first');
  });

  test('is made once by simultaneous first writes', async () => {
    const writers = Array.from({ length: 8 }, () => openIdentity(postgres, openAlone()));
    const ids = await Promise.all(writers.map((each) => each.projectForWrite(owner, 'new-entity/at-once')));
    expect(new Set(ids).size).toBe(1);
  });

  test('has an internal id that is base64 without padding, slash or plus', async () => {
    const id = await identity.projectForWrite(owner, 'ada/id');
    expect(id).toMatch(/^[A-Za-z0-9]+$/);
    expect(atob(id)).toMatch(/^Project:[A-Za-z0-9]{13}$/);
    expect(btoa(atob(id))).toBe(id);
  });

  test('in an entity of others is 403, and so is one in an entity that does not exist', async () => {
    const id = await identity.projectForWrite(owner, 'ada/private');
    for (const name of ['ada/private', 'ada/unknown', 'nowhere/unknown']) {
      const refusal = { kind: 'forbidden', message: 'Forbidden' };
      await expect(identity.projectForRead(member, name)).rejects.toMatchObject(refusal);
      await expect(identity.projectForWrite(member, name)).rejects.toMatchObject(refusal);
      expect(await identity.readableProject(member, name)).toBeNull();
      expect(identity.cachedProject(member, name)).toBeUndefined();
    }
    expect(await identity.readableProjectName(member, id)).toBeNull();
    expect(await identity.readableProjectName(owner, id)).toBe('ada/private');
  });

  test('of a member is open to the member and to the owner', async () => {
    const id = await identity.projectForWrite(member, 'ben/own');
    expect(await identity.projectForRead(owner, 'ben/own')).toBe(id);
    expect(await identity.readableProjectName(member, id)).toBe('ben/own');
  });
});

describe('a user', () => {
  test('is let into an existing entity only when it is named', async () => {
    await expect(identity.createUser('ada')).rejects.toMatchObject({ kind: 'conflict' });
    await identity.projectForWrite(owner, 'team/p');
    await expect(identity.createUser('team')).rejects.toMatchObject({ kind: 'conflict' });
    expect(await identity.createUser('carl', 'team')).toMatchObject({ entity: 'team' });
    expect(await identity.listUsers()).toContainEqual({ username: 'carl', isOwner: false, entities: ['team'] });
  });
});
