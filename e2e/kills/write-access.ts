import { randomUUID } from 'node:crypto';
import { type Check, expectEqual } from './ledger.ts';
import type { Writer } from './writers.ts';

/** Makes a user with a key, makes another key, and revokes one. */
export const changeAccess: Writer = async (client, _project, ledger) => {
  const user = `user-${randomUUID()}`;
  const exists: Check = async (reader) => {
    const users = await reader.admin('users.list', {});
    return expectEqual(
      users.some(({ username }) => username === user),
      true,
    );
  };
  await ledger.change([user], () => client.admin('users.create', { name: user }), [exists]);

  const answers = (key: string, status: number): Check => {
    return async (reader) => expectEqual((await reader.try('GET', '/v1/models', undefined, key)).status, status);
  };
  let made = { id: '', key: '' };
  const create = async () => {
    made = await client.admin('keys.create', { user });
  };
  await ledger.change([`key of ${user}`], create, [(reader) => answers(made.key, 200)(reader)]);
  await client.try('GET', '/v1/models', undefined, made.key); // so that it is in any cache there is
  const revoke = () => client.admin('keys.revoke', { which: made.id });
  await ledger.change([`key of ${user}`], revoke, [(reader) => answers(made.key, 401)(reader)]);
};
