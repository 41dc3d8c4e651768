import { afterAll, beforeEach, expect, test } from 'vitest';
import { newId } from '../contract/ids.ts';
import { openAccounts } from '../identity/accounts.ts';
import { openSecrets } from '../services/secrets/secrets.ts';
import { openAlone } from '../store/peers/alone.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import { newTestStore } from '../store/postgres/testing/test-postgres.ts';
import { openSecretKey } from '../store/secret-key.ts';
import { checkSecretKey } from './check-secret-key.ts';

const directory = newTestStore();
const postgres = await directory.open();
await openAccounts(postgres, openAlone()).ensureOwner({ name: 'ada', apiKey: '' });
afterAll(async () => {
  await postgres.close();
  directory.remove();
});
beforeEach(async () => {
  for (const table of ['secret_key', 'secrets', 'processes'] as const) await postgres.db.deleteFrom(table).execute();
});

const [one, other] = ['one', 'other'].map((text) => openSecretKey(text.padEnd(32, '0'), ''));
const refusal = /^HEDDLE_SECRET_KEY differs from the key of this deployment\./;

async function setSecret(secretKey: typeof one, name = 'OPENAI_API_KEY'): Promise<void> {
  const secrets = openSecrets({ postgres, secretKey: secretKey! });
  await secrets.set({ entity: 'ada', project: null }, { name, value: 'sk-value', hosts: null });
}

async function addProcess(store: Postgres, expiresInMs: number): Promise<void> {
  const row = { id: newId(), name: 'p', acknowledged: 0, expires_at: new Date(Date.now() + expiresInMs) };
  await store.db.insertInto('processes').values(row).execute();
}

test('the first process records the key, and one with another key is refused while it runs', async () => {
  await checkSecretKey(postgres, one!);
  await addProcess(postgres, 60_000);
  await checkSecretKey(postgres, one!);
  const refused = checkSecretKey(postgres, other!);
  await expect(refused).rejects.toThrow(refusal);
  await expect(refused).rejects.not.toThrow('other0');
  await checkSecretKey(postgres, one!);
});

test('what is stored reveals neither the key nor what is derived from it', async () => {
  await checkSecretKey(postgres, one!);
  const [row] = await postgres.db.selectFrom('secret_key').selectAll().execute();
  for (const form of ['hex', 'base64', 'base64url'] as const)
    expect(row!.fingerprint).not.toContain(one!.read().toString(form));
});

test('another key is accepted while nobody runs and there are no secrets', async () => {
  await checkSecretKey(postgres, one!);
  await addProcess(postgres, -1000);
  await checkSecretKey(postgres, other!);
  await expect(checkSecretKey(postgres, one!)).resolves.toBeUndefined();
  await setSecret(one);
  await expect(checkSecretKey(postgres, other!)).rejects.toThrow('DELETE FROM');
});

test('a deployment whose key nobody has recorded gets one that can read its secrets', async () => {
  await setSecret(one);
  await expect(checkSecretKey(postgres, other!)).rejects.toThrow(refusal);
  await checkSecretKey(postgres, one!);
  await expect(checkSecretKey(postgres, other!)).rejects.toThrow(refusal);
});

test('one secret that cannot be read does not matter if others can', async () => {
  await setSecret(one);
  await setSecret(other, 'ANTHROPIC_API_KEY');
  await checkSecretKey(postgres, other!);
});
