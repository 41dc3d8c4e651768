import type { Context } from '../../context.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { ResourceKind, resource } from '../../contract/resources/resource.ts';
import { membersOf, stringAt } from '../../domain/resources/values.ts';
import { type Handler, type Input, type Route, routesOf } from '../../http/bind.ts';
import type { StoredObject } from '../../services/objects/read-versions.ts';
import type { Created, Resources } from '../../services/resources/resources.ts';
import type { JsonText } from '../../util/json/json-text.ts';
import { toJson } from '../../util/json/write.ts';
import { formatDate } from '../objects/object-answer.ts';
import { projectOfPath } from '../project-of-path.ts';

type Owner = Parameters<Resources['createOp']>[1];
export type Version = Omit<StoredObject, 'value'> & { value: string };
/** The members of a version's value. */
export type Members = Record<string, JsonText>;

type Endpoints = ReturnType<typeof resource>;

/** How the endpoints of one kind translate between the wire and the service. */
type Translation<Create extends Endpoint> = {
  create(body: Input<Create>['body'], owner: Owner): Promise<Created>;
  /** What a creation answers beside its digest. */
  created?(created: Created): Record<string, unknown>;
  /** What a version shows beside its name and number. */
  read(version: Version, members: Members): Promise<Record<string, unknown>> | Record<string, unknown>;
  /** The same in a list, where it differs. */
  listed?(version: Version, members: Members): Promise<Record<string, unknown>> | Record<string, unknown>;
};

type Parts = Pick<Context, 'identity' | 'services'>;

/** The routes of one kind of versioned resource. */
export function routesOfKind<Body extends Endpoints['create']>(
  { identity, services }: Parts,
  kind: ResourceKind,
  endpoints: Omit<Endpoints, 'create'> & { create: Body },
  translation: Translation<Body>,
): Route[] {
  const { resources } = services;
  const { read, listed = read, created = () => ({}) } = translation;

  const ownerToRead = async ({ params, caller }: Pick<Input<Endpoints['list']>, 'params' | 'caller'>) => {
    const name = projectOfPath(params);
    return { caller, project: { name, id: await identity.projectForRead(caller, name) } };
  };

  const create: Handler<Endpoints['create']> = async ({ params, body, caller }) => {
    const name = projectOfPath(params);
    const owner = { caller, project: { name, id: await identity.projectForWrite(caller, name) } };
    const made = await translation.create(body as Input<Body>['body'], owner);
    return { digest: made.digest, object_id: made.objectId, version_index: made.versionIndex, ...created(made) };
  };

  const list: Handler<Endpoints['list']> = async (input) => {
    const found = resources.list(kind, input.query, await ownerToRead(input));
    return (async function* lines() {
      for await (const versions of found) {
        for (const version of versions) yield `${toJson(await recordOf(version, listed))}\n`;
      }
    })();
  };

  const readOne: Handler<Endpoints['read']> = async (input) => {
    const { object_id: objectId, digest } = input.params;
    return recordOf(await resources.find(kind, objectId, digest, await ownerToRead(input)), read);
  };

  const remove: Handler<Endpoints['delete']> = async (input) => {
    const owner = await ownerToRead(input);
    return { num_deleted: await resources.delete(kind, input.params.object_id, input.query.digests, owner) };
  };

  const handlers = { create, list, read: readOne, delete: remove };
  return routesOf<Endpoints>(endpoints, handlers);
}

async function recordOf(version: Version, read: Translation<Endpoint>['read']) {
  return {
    object_id: version.objectId,
    digest: version.digest,
    version_index: version.versionIndex,
    created_at: formatDate(version.createdAt),
    ...(await read(version, membersOf(version.value))),
  };
}

/** The name and description of a value; the SDKs publish objects without a name. */
export function described({ objectId }: Version, members: Members) {
  return { name: stringAt(members, 'name') ?? objectId, description: stringAt(members, 'description') };
}
