import {
  afterCursor,
  connection,
  entity,
  type GraphqlContext,
  globalId,
  type Input,
  type PageArguments,
  type ProjectArguments,
  type ProjectNode,
  pageLimit,
  projectNode,
  readProject,
  writeProject,
} from './context.ts';
import { refuseUnsupported } from './refuse-unsupported.ts';

/** The releases of the wandb package that heddle is tested with: clients ask for them before they use newer formats. */
const cliVersionInfo = { min_cli_version: '0.25.0', max_cli_version: '0.31.0' };

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
    models: listProjects,
    organization: (_root: unknown, { name: _none }: { name?: string | null }) => null, // heddle has none of any name

    serverInfo: (_root: unknown, _args: unknown, { address }: GraphqlContext) => ({
      frontendHost: address,
      features: [],
      cliVersionInfo,
      latestLocalVersionInfo: null,
    }),
  },

  Organization: {
    featureFlags: (_root: unknown, { rampIDType: _any }: { rampIDType?: string | null }) => [],
  },

  Project: {
    createdAt: async ({ id, createdAt }: ProjectNode, _args: unknown, { identity }: GraphqlContext) =>
      (createdAt ?? (await identity.projectCreatedAt(id)))?.toISOString(),
  },

  Mutation: {
    upsertModel: async (_root: unknown, { input }: Input<UpsertModelInput>, context: GraphqlContext) => {
      const { id, name, description, repo } = input;
      // Clients name the project that they found as its own id.
      if (id && id !== name) refuseUnsupported('A project', { id });
      refuseUnsupported('A project', { description, repo });
      const project = await writeProject(context, input);
      return { model: project, project, inserted: false };
    },
  },
};

type UpsertModelInput = ProjectArguments & {
  id?: string | null;
  description?: string | null;
  repo?: string | null;
};

async function listProjects(
  _root: unknown,
  { entityName, ...page }: PageArguments & { entityName?: string | null },
  context: GraphqlContext,
) {
  const { identity, caller } = context;
  const wanted = entityName || caller.defaultEntity;
  await identity.requireMember(caller, wanted);
  const limit = pageLimit(context, page);
  const all = (await identity.readableProjects(caller)).filter((each) => each.entity === wanted);

  return {
    ...connection(
      afterCursor(all, page, ({ id }) => id),
      limit,
      {
        toEdge: (each) => ({
          node: projectNode(each.id, { entity: each.entity, name: each.project }, each.createdAt),
          cursor: each.id,
        }),
        cursorOf: ({ id }) => id,
      },
    ),
    totalCount: all.length,
  };
}
