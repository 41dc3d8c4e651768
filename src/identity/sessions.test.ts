import { afterAll, beforeAll, expect, test } from 'vitest';
import { openAlone } from '../store/peers/alone.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import { newTestStore } from '../store/postgres/testing/test-postgres.ts';
import { openAccounts } from './accounts.ts';
import { openSessions, type Sessions } from './sessions.ts';
import { linkMinutes } from './sign-in-links.ts';

const store = newTestStore();
const day = 86_400_000;
let time = Date.parse('2026-01-01T00:00:00Z');
const peers = openAlone();
let postgres: Postgres;
let sessions: Sessions;
let key: string;
let owner: string;

beforeAll(async () => {
  postgres = await store.open();
  sessions = openSessions(postgres, peers, () => time);
  key = (await openAccounts(postgres, peers).ensureOwner({ name: 'ada', apiKey: '' }))!;
  owner = (await sessions.signInWithKey(key))!.caller.userId;
});

afterAll(async () => {
  await postgres.close();
  store.remove();
});

test('a session ends after 30 days, also one that was used', async () => {
  const { token } = (await sessions.signInWithKey(key))!;
  time += 29 * day;
  expect(await sessions.callerOfSession(token)).toMatchObject({ username: 'ada' });
  time += 1 * day;
  expect(await sessions.callerOfSession(token)).toBeNull();
});

test('a sign-in link expires', async () => {
  const token = await sessions.makeSignInLink(owner);
  time += linkMinutes * 60_000;
  expect(await sessions.signInWithLink(token)).toBeNull();
});

test('a sign-in link works once, at any process, also after a restart', async () => {
  const token = await sessions.makeSignInLink(owner);
  const others = Array.from({ length: 4 }, () => openSessions(postgres, peers, () => time));
  const used = await Promise.all(others.map((each) => each.signInWithLink(token)));
  expect(used.filter((session) => session !== null)).toHaveLength(1);
  expect(await sessions.signInWithLink(token)).toBeNull();
});

test('a sign-in link ends when a key of its user is revoked', async () => {
  const accounts = openAccounts(postgres, peers);
  const token = await sessions.makeSignInLink(owner);
  const { id } = await accounts.createKey({});
  await accounts.revokeKeyById(id);
  expect(await sessions.signInWithLink(token)).toBeNull();
});

test('the store holds hashes alone, and the newest 50 sessions of a user', async () => {
  const tokens: string[] = [];
  for (let i = 0; i < 51; i++) tokens.push((await sessions.signInWithKey(key))!.token);
  expect(await sessions.callerOfSession(tokens[0]!)).toBeNull();
  expect(await sessions.callerOfSession(tokens[1]!)).toMatchObject({ username: 'ada' });
  const rows = await postgres.db.selectFrom('sessions').selectAll().execute();
  expect(rows).toHaveLength(50);
  for (const secret of [key, tokens[50]!]) expect(JSON.stringify(rows)).not.toContain(secret);
});

test('a session that was started before a restart goes on', async () => {
  const { token } = (await sessions.signInWithKey(key))!;
  expect(await openSessions(postgres, peers, () => time).callerOfSession(token)).toMatchObject({ username: 'ada' });
});
