import type { Context } from '../../context.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { ResourceEndpoints as Endpoints, ResourceKind } from '../../contract/resources/resource.ts';
import { membersOf, stringAt } from '../../domain/resources/values.ts';
import { type Handler, type Input, type Route, routesOf } from '../../http/bind.ts';
import type { StoredObject } from '../../services/objects/read-versions.ts';
import type { Created, Resources } from '../../services/resources.ts';
import type { JsonText } from '../../util/json/json-text.ts';
import { toJson } from '../../util/json/write.ts';
import { linesOf } from '../json-lines.ts';
import { formatDate } from '../objects/object-answer.ts';
import { ownerForRead, ownerForWrite } from '../project.ts';

type Owner = Parameters<Resources['createOp']>[1];
export type Version = Omit<StoredObject, 'value'> & { value: string };
/** The members of a version's value. */
export type Members = Record<string, JsonText>;

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
  context: Parts,
  kind: ResourceKind,
  endpoints: Omit<Endpoints, 'create'> & { create: Body },
  translation: Translation<Body>,
): Route[] {
  const { resources } = context.services;
  const { read, listed = read, created = () => ({}) } = translation;

  const create: Handler<Endpoints['create']> = async (input) => {
    const owner = await ownerForWrite(context, input);
    const made = await translation.create(input.body as Input<Body>['body'], owner);
    return { digest: made.digest, object_id: made.objectId, version_index: made.versionIndex, ...created(made) };
  };

  const list: Handler<Endpoints['list']> = async (input) => {
    const found = resources.list(kind, input.query, await ownerForRead(context, input));
    return linesOf(found, async (version) => toJson(await recordOf(version, listed)));
  };

  const readOne: Handler<Endpoints['read']> = async (input) => {
    const { object_id: objectId, digest } = input.params;
    return recordOf(await resources.find(kind, objectId, digest, await ownerForRead(context, input)), read);
  };

  const remove: Handler<Endpoints['delete']> = async (input) => {
    const owner = await ownerForRead(context, input);
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
