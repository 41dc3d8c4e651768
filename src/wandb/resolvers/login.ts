import {
  entity,
  type GraphqlContext,
  globalId,
  type Input,
  type ProjectArguments,
  readProject,
  writeProject,
} from './context.ts';

export const loginResolvers = {
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

    project: (_root: unknown, args: ProjectArguments, context: GraphqlContext) => readProject(context, args),
    model: (_root: unknown, args: ProjectArguments, context: GraphqlContext) => readProject(context, args),
    organization: () => null,

    serverInfo: (_root: unknown, _args: unknown, { address }: GraphqlContext) => ({
      frontendHost: address,
      features: [],
      latestLocalVersionInfo: null,
    }),
  },

  Mutation: {
    upsertModel: async (_root: unknown, { input }: Input<ProjectArguments>, context: GraphqlContext) => {
      const project = await writeProject(context, input);
      return { model: project, project, inserted: false };
    },
  },
};
