import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { contextForFile } from '../../api/testing/context.ts';
import { openSecretKey } from '../../store/secret-key.ts';
import { openSecrets } from './secrets.ts';

const context = contextForFile();
const secrets = () => context.current.services.secrets;
let made = 0;

async function newProject() {
  const { identity } = context.current;
  await identity.ensureOwner({ name: 'ada', apiKey: '' });
  const [owner] = await identity.listUsers();
  const caller = { userId: 'u' as never, username: owner!.username, isOwner: true, defaultEntity: 'ada' };
  const project = `p${made++}`;
  return { id: await identity.projectForWrite(caller, `ada/${project}`), entity: 'ada', project };
}

const secret = (value: string, hosts: string[] = []) => ({ name: 'API_KEY', value, hosts });

test("a secret of a project overrides the entity's, in this project only", async () => {
  const [mine, other] = [await newProject(), await newProject()];
  await secrets().set(mine, secret('of-the-project'));
  expect(await secrets().find(other.id, 'API_KEY')).toBeNull();
  await secrets().set({ entity: 'ada', project: null }, secret('of-the-entity', ['API.example.com']));
  expect(await secrets().find(mine.id, 'API_KEY')).toEqual(secret('of-the-project'));
  expect(await secrets().find(other.id, 'API_KEY')).toEqual(secret('of-the-entity', ['api.example.com']));
  await secrets().remove({ entity: 'ada', project: null }, 'API_KEY');
  expect(await secrets().find(other.id, 'API_KEY')).toBeNull();
});

test('setting a secret again replaces it', async () => {
  const mine = await newProject();
  await secrets().set(mine, secret('first'));
  await secrets().set(mine, secret('second', ['h']));
  expect(await secrets().find(mine.id, 'API_KEY')).toEqual(secret('second', ['h']));
  const listed = (await secrets().list()).filter(({ project }) => project === mine.project);
  expect(listed).toEqual([
    { entity: 'ada', project: mine.project, name: 'API_KEY', hosts: ['h'], updatedAt: expect.any(Date) },
  ]);
});

test.each([
  ['an empty value', secret('')],
  ['a value of two lines', secret('a\nb')],
  ['a value that is too long', secret('a'.repeat(8193))],
  ['a name with a space', { ...secret('a'), name: 'A KEY' }],
  ['a host with a path', secret('a', ['example.com/v1'])],
])('rejects %s without repeating the value', async (_what, bad) => {
  const mine = await newProject();
  const error = await secrets()
    .set(mine, bad)
    .catch((thrown) => thrown);
  expect(error.kind).toBe('invalidInput');
  if (bad.value.length > 1) expect(error.message).not.toContain(bad.value);
});

test('rejects an unknown entity or project, and removing an unknown secret', async () => {
  const mine = await newProject();
  const notFound = { kind: 'notFound' };
  await expect(secrets().set({ entity: 'nobody', project: null }, secret('a'))).rejects.toMatchObject(notFound);
  await expect(secrets().set({ ...mine, project: 'nothing' }, secret('a'))).rejects.toMatchObject(notFound);
  await expect(secrets().remove(mine, 'API_KEY')).rejects.toMatchObject(notFound);
});

test('no file of the data directory contains a value, and only the owner can read the key', async () => {
  const mine = await newProject();
  await secrets().set(mine, secret('sk-very-recognizable-value'));
  const { data } = context.current.config;
  const search = () => execFileSync('grep', ['-rla', 'sk-very-recognizable-value', data]);
  expect(search).toThrow(); // grep found nothing
  expect(statSync(join(data, 'secret.key')).mode & 0o777).toBe(0o600);
});

test('a value can be decrypted only with its key and in its own row', async () => {
  const [mine, other] = [await newProject(), await newProject()];
  await secrets().set(mine, secret('mine'));
  await secrets().set(other, secret('theirs'));
  const { postgres, config } = context.current;
  const { db } = postgres;
  const withKey = (key: string) =>
    openSecrets({ postgres, secretKey: openSecretKey(key, join(config.data, 'models')) });
  const unavailable = (message: RegExp) => ({ kind: 'unavailable', message: expect.stringMatching(message) });
  await expect(withKey('k'.repeat(32)).find(mine.id, 'API_KEY')).rejects.toMatchObject(
    unavailable(/cannot be decrypted with the key of HEDDLE_SECRET_KEY/),
  );
  await expect(withKey('').find(mine.id, 'API_KEY')).rejects.toMatchObject(unavailable(/secret\.key does not exist/));
  expect((await secrets().check()).unreadable).toEqual([]);
  const { count } = await secrets().check();
  expect(await withKey('k'.repeat(32)).check()).toEqual({ count, unreadable: Array(count).fill('API_KEY') });
  expect((await withKey('').check()).unreadable).toHaveLength(count);
  const { sealed } = await db
    .selectFrom('secrets')
    .select('sealed')
    .where('project_id', '=', mine.id)
    .executeTakeFirstOrThrow();
  await db.updateTable('secrets').set({ sealed }).where('project_id', '=', other.id).execute();
  await expect(secrets().find(other.id, 'API_KEY')).rejects.toMatchObject(unavailable(/cannot be decrypted/));
});

test('a key from the settings needs no file', async () => {
  const mine = await newProject();
  const { postgres, config } = context.current;
  const elsewhere = join(config.data, 'weights');
  const own = openSecrets({ postgres, secretKey: openSecretKey('k'.repeat(32), elsewhere) });
  await own.set(mine, secret('value'));
  expect(await own.find(mine.id, 'API_KEY')).toEqual(secret('value'));
  expect(() => statSync(join(elsewhere, 'secret.key'))).toThrow('ENOENT');
});
