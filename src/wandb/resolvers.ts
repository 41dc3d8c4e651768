import { badRequest } from '../contract/errors.ts';
import type { ProjectId } from '../contract/ids.ts';
import type { Caller, Identity } from '../identity/identity.ts';
import { Failure } from '../util/failures.ts';

/** The context of every resolver. */
export type GraphqlContext = {
  identity: Identity;
  caller: Caller;
  /** The address that the client used to reach the server. */
  address: string;
};

type ProjectArguments = { name?: string | null; entityName?: string | null };

export const resolvers = {
  Query: {
    viewer: (_root: unknown, _args: unknown, { caller, identity }: GraphqlContext) => ({
      id: globalId('User', caller.userId),
      name: caller.username,
      username: caller.username,
      admin: caller.isOwner,
      flags: '{}',
      entity: caller.defaultEntity,
      defaultEntity: entity(caller.defaultEntity),
      teams: async () => {
        const user = (await identity.listUsers()).find((each) => each.username === caller.username);
        return { edges: (user?.entities ?? []).map((name) => ({ node: entity(name) })) };
      },
      apiKeys: { edges: [] },
    }),

    entity: async (_root: unknown, { name }: { name?: string | null }, { identity, caller }: GraphqlContext) => {
      const wanted = name || caller.defaultEntity;
      return (await identity.belongsTo(caller, wanted)) ? entity(wanted) : null;
    },

    project: findProject,
    model: findProject,

    serverInfo: (_root: unknown, _args: unknown, { address }: GraphqlContext) => ({
      frontendHost: address,
      features: [],
      latestLocalVersionInfo: null,
    }),
  },

  Mutation: {
    upsertModel: async (_root: unknown, { input }: { input: ProjectArguments }, context: GraphqlContext) => {
      const parts = partsOf(input, context.caller);
      const id = await context.identity.projectForWrite(context.caller, `${parts.entity}/${parts.name}`);
      return { model: project(id, parts), project: project(id, parts) };
    },
  },
};

async function findProject(_root: unknown, args: ProjectArguments, { identity, caller }: GraphqlContext) {
  const parts = partsOf(args, caller);
  const name = `${parts.entity}/${parts.name}`;
  const id = await identity.projectForRead(caller, name).catch((error) => {
    if (error instanceof Failure && error.kind === 'notFound') return null;
    throw error;
  });
  return id && project(id, parts);
}

function partsOf({ name, entityName }: ProjectArguments, caller: Caller): { entity: string; name: string } {
  if (!name) throw badRequest('The project needs a name.');
  return { entity: entityName || caller.defaultEntity, name };
}

function project(id: ProjectId, { entity: entityName, name }: { entity: string; name: string }) {
  return { id, internalId: id, name, entityName, entity: entity(entityName), description: null, readOnly: false };
}

function entity(name: string) {
  return { id: globalId('Entity', name), name, readOnly: false };
}

function globalId(type: string, id: string): string {
  return Buffer.from(`${type}:${id}`).toString('base64');
}
