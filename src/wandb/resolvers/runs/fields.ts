import { parseHistoryRow } from '../../../domain/runs/history.ts';
import type { Run } from '../../../services/runs/runs.ts';
import { artifactNode } from '../artifacts/nodes.ts';
import {
  connection,
  type GraphqlContext,
  type Named,
  type PageArguments,
  type ProjectNode,
  pageLimit,
  projectOf,
  spend,
} from '../context.ts';
import { type RunNode, runNode } from './nodes.ts';

type RunsArguments = PageArguments & { order?: string | null };

/** How runs are read, but for their history. */
export const runFields = {
  Project: {
    run: findRun,
    bucket: findRun,
    runCount: ({ id }: ProjectNode, _args: unknown, { runs }: GraphqlContext) => runs.count(id),
    async runs({ id }: ProjectNode, args: RunsArguments, context: GraphqlContext) {
      const { runs } = context;
      const limit = pageLimit(context, args);
      const isAscending = args.order?.startsWith('+') ?? false;
      const page = { projectId: id, afterId: args.after || null, limit: limit + 1, isAscending };
      return connection(await runs.list(page), limit, {
        toEdge: (run) => ({ node: runNode(run), cursor: run.id }),
        cursorOf: (run) => run.id,
      });
    },
  },

  Run: {
    project: ({ run }: RunNode, _args: unknown, context: GraphqlContext) => projectOf(context, run.projectId),
    wandbConfig: ({ run }: RunNode) => JSON.stringify(wandbConfigOf(run)),
    user: async ({ run }: RunNode, _args: unknown, { identity }: GraphqlContext) => {
      const username = (await identity.usernames([run.createdBy])).get(run.createdBy);
      return username === undefined ? null : { id: run.createdBy, name: username, username };
    },

    async files({ run }: RunNode, { names }: { names?: string[] | null }, context: GraphqlContext) {
      spend(context, rowsOfList);
      const found = (await context.runs.files(run)).filter(({ name }) => !names?.length || names.includes(name));
      return {
        edges: found.map(({ name, key, sizeBytes }) => {
          const url = context.address + context.signedBlobs.address({ method: 'GET', key, md5: null });
          return { node: { id: key, name, displayName: name, url, directUrl: url, sizeBytes, mimetype: null } };
        }),
        pageInfo: { hasNextPage: false, endCursor: null },
        totalCount: found.length,
      };
    },
    fileCount: async ({ run }: RunNode, _args: unknown, context: GraphqlContext) => {
      spend(context, rowsOfList);
      return (await context.runs.files(run)).length;
    },

    outputArtifacts: ({ run }: RunNode, _args: unknown, context: GraphqlContext) => artifactsOf(context, run, 'logged'),
    inputArtifacts: ({ run }: RunNode, _args: unknown, context: GraphqlContext) => artifactsOf(context, run, 'used'),
  },
};

/** What reading all of a run's files or artifacts counts. */
const rowsOfList = 1000;

async function findRun({ id }: ProjectNode, { name }: Named, { runs }: GraphqlContext) {
  const run = await runs.find(id, name);
  return run && runNode(run);
}

/** The client's own entry in the configuration. */
function wandbConfigOf(run: Run): Record<string, unknown> {
  const own = parseHistoryRow(run.config)?._wandb as { value?: Record<string, unknown> } | undefined;
  return { t: own?.value?.t ?? {} };
}

/** A run may use artifacts of other projects: only those that the caller may read. */
async function artifactsOf(context: GraphqlContext, run: Run, how: 'logged' | 'used') {
  spend(context, rowsOfList);
  const edges = [];
  for (const artifact of await context.artifacts.ofRun(run.id, how)) {
    if (await projectOf(context, artifact.projectId)) edges.push({ node: artifactNode(artifact) });
  }
  return { edges, pageInfo: { hasNextPage: false, endCursor: null }, totalCount: edges.length };
}
