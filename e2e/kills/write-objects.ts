import { randomUUID } from 'node:crypto';
import { type Check, expectEqual } from './ledger.ts';
import type { Writer } from './writers.ts';

/** Publishes two versions and deletes one, then all. */
export const changeObjects: Writer = async (client, project, ledger) => {
  const object_id = `object-${randomUUID()}`;
  const values = [{ text: randomUUID() }, { text: randomUUID() }];
  const digests: string[] = [];
  for (const val of values) {
    const thing = `object ${object_id} ${digests.length}`;
    let digest = '';
    const publish = async () => {
      ({ digest } = await client.ask('POST', '/obj/create', { obj: { project_id: project, object_id, val } }));
    };
    await ledger.change([thing], publish, [(reader) => holds(digest, val)(reader)]);
    digests.push(digest);
  }
  const things = digests.map((_, index) => `object ${object_id} ${index}`);
  const [first = '', second = ''] = digests;
  const remove = (more: object) => () => client.ask('POST', '/obj/delete', { project_id: project, object_id, ...more });
  await ledger.change([things[0]!], remove({ digests: [first] }), [isGone(first)]);
  if (Math.random() < 0.5) return;
  await ledger.change([things[1]!], remove({}), [isGone(second)]);

  function holds(digest: string, val: object): Check {
    return async (reader) => {
      const { status, json } = await reader.try('POST', '/obj/read', { project_id: project, object_id, digest });
      return status === 200 ? expectEqual(json.obj.val, val) : `the version is lost: ${status}`;
    };
  }

  function isGone(digest: string): Check {
    return async (reader) => {
      const { status, json } = await reader.try('POST', '/obj/read', { project_id: project, object_id, digest });
      return status === 404 && json.deleted_at ? null : `a deleted version is answered with ${status}`;
    };
  }
};

/** Sets an alias and a tag at a version, moves the alias, and takes both away. */
export const changeLabels: Writer = async (client, project, ledger) => {
  const object_id = `labelled-${randomUUID()}`;
  const publish = async (val: object) =>
    (await client.ask('POST', '/obj/create', { obj: { project_id: project, object_id, val } })).digest as string;
  const [first, second] = [await publish({ n: 1 }), await publish({ n: 2 })];
  const thing = `alias of ${object_id}`;
  const stands = (digest: string | null): Check => {
    return async (reader) => {
      const asked = { project_id: project, object_id, digest: 'best', metadata_only: true };
      const { status, json } = await reader.try('POST', '/obj/read', asked);
      return expectEqual(status === 200 ? json.obj.digest : null, digest);
    };
  };
  const set = (digest: string) => () =>
    client.ask('PUT', `/objs/${object_id}/aliases`, { project_id: project, digest, aliases: ['best'] });
  await ledger.change([thing], set(first), [stands(first)]);
  await ledger.change([thing], set(second), [stands(second)]);
  const remove = () =>
    client.ask('POST', `/objs/${object_id}/aliases/remove`, { project_id: project, aliases: ['best'] });
  if (Math.random() < 0.5) await ledger.change([thing], remove, [stands(null)]);

  const tags = [`tag-${object_id}`];
  const path = `/objs/${object_id}/versions/${second}/tags`;
  const carries = (isThere: boolean): Check => {
    return async (reader) => {
      const { tags: all } = await reader.ask('GET', `/tags?project_id=${project}`);
      return expectEqual(all.includes(tags[0]), isThere);
    };
  };
  const tag = `tag of ${object_id}`;
  await ledger.change([tag], () => client.ask('PUT', path, { project_id: project, tags }), [carries(true)]);
  if (Math.random() < 0.5) return;
  await ledger.change([tag], () => client.ask('POST', `${path}/remove`, { project_id: project, tags }), [
    carries(false),
  ]);
};
