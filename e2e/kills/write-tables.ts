import { randomUUID } from 'node:crypto';
import { tableDigest } from '../../src/domain/digest/digest.ts';
import { toDigestList } from '../../src/domain/digest/digest-list.ts';
import { toTableRow } from '../../src/domain/tables/table-row.ts';
import { type Check, expectEqual } from './ledger.ts';
import type { Writer } from './writers.ts';

/** Makes a table and one of it with a row more. */
export const changeTables: Writer = async (client, project, ledger) => {
  const rows = Array.from({ length: 20 }, (_, n) => ({ n, text: randomUUID() }));
  const more = { n: 20, text: randomUUID() };
  const holds = (digest: string, expected: object[]): Check => {
    return async (reader) => {
      const { rows: found } = await reader.ask('POST', '/table/query', { project_id: project, digest });
      return expectEqual(
        found.map((row: { val: object }) => row.val),
        expected,
      );
    };
  };
  const digests = rows.map((row) => toTableRow(JSON.stringify(row), (text) => text).digest);
  const wholeDigest = await tableDigest(await toDigestList(digests));
  ledger.expect(`table ${wholeDigest} is whole or not there`, async (reader) => {
    const { rows: found } = await reader.ask('POST', '/table/query', { project_id: project, digest: wholeDigest });
    return found.length === 0 ? null : expectEqual(found.length, rows.length);
  });
  let digest = '';
  const name = rows[0]!.text;
  const create = async () => {
    ({ digest } = await client.ask('POST', '/table/create', { table: { project_id: project, rows } }));
  };
  await ledger.change([`table ${name}`], create, [(reader) => holds(digest, rows)(reader)]);
  if (digest !== wholeDigest)
    throw new Error(`the digest of a table is computed as ${wholeDigest} and answered as ${digest}`);
  let longer = '';
  const append = async () => {
    const updates = [{ append: { row: more } }];
    const asked = { project_id: project, base_digest: digest, updates };
    ({ digest: longer } = await client.ask('POST', '/table/update', asked));
  };
  await ledger.change([`longer table ${name}`], append, [(reader) => holds(longer, [...rows, more])(reader)]);
};

export const uploadFiles: Writer = async (client, project, ledger) => {
  const text = `${randomUUID()} `.repeat(200);
  let digest = '';
  const upload = async () => {
    digest = await client.upload(project, text);
  };
  const check: Check = async (reader) => {
    const { status, text: found } = await reader.try('POST', '/file/content', { project_id: project, digest });
    return status === 200 && found === text ? null : `the file is answered with ${status}, ${found.length} bytes`;
  };
  await ledger.change([`file ${text.slice(0, 36)}`], upload, [check]);
};
