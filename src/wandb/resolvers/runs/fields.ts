import { posix } from 'node:path';
import { badRequest, notFound } from '../../../contract/errors.ts';
import { parseHistoryRow } from '../../../domain/runs/history.ts';
import { isLike } from '../../../domain/runs/like.ts';
import type { Run } from '../../../services/runs/runs.ts';
import { artifactNode } from '../artifacts/nodes.ts';
import {
  afterCursor,
  connection,
  type GraphqlContext,
  type PageArguments,
  type ProjectNode,
  pageLimit,
  projectOf,
  spend,
} from '../context.ts';
import { fileId } from './access.ts';
import { type RunNode, runNode } from './nodes.ts';
import { runsPage, searchRuns } from './search.ts';

type FilterArguments = { filters?: string | null };
type RunsArguments = PageArguments & FilterArguments & { order?: string | null };
type RunArguments = { name?: string | null; desc?: string | null; missingOk?: boolean | null };
type FilesArguments = PageArguments & { names?: string[] | null; pattern?: string | null };
type LogArguments = PageArguments & { last?: number | null; useImprovedPagination?: boolean | null };

/** How runs are read, but for their history. */
export const runFields = {
  Project: {
    run: findRun,
    bucket: findBucket,
    async runCount({ id }: ProjectNode, { filters }: FilterArguments, context: GraphqlContext) {
      return (await searchRuns(context, id, { filters }, 0)).count;
    },
    runs: ({ id }: ProjectNode, { filters, after, first, order }: RunsArguments, context: GraphqlContext) =>
      runsPage(context, id, { filters, after, first, order }),
    async buckets({ id }: ProjectNode, args: { first?: number | null }, context: GraphqlContext) {
      const limit = pageLimit(context, args);
      const { runs } = await searchRuns(context, id, {}, limit);
      return connection(runs, limit, { toEdge: (run) => ({ node: runNode(run) }), cursorOf: (run) => run.id });
    },
  },

  Run: {
    project: ({ run }: RunNode, _args: unknown, context: GraphqlContext) => projectOf(context, run.projectId),
    wandbConfig: ({ run }: RunNode, { keys }: { keys?: string[] | null }) =>
      JSON.stringify(wandbConfigOf(run, keys ?? null)),
    user: async ({ run }: RunNode, _args: unknown, { identity }: GraphqlContext) => {
      const username = (await identity.usernames([run.createdBy])).get(run.createdBy);
      return username === undefined ? null : { id: run.createdBy, name: username, username };
    },

    async files({ run }: RunNode, { names, pattern, ...page }: FilesArguments, context: GraphqlContext) {
      spend(context, rowsOfList);
      const limit = pageLimit(context, { ...page, first: page.first ?? rowsOfList });
      const wanted = names?.map((name) => posix.normalize(name)); // clients ask for "./a.txt", too
      const found = (await context.runs.files(run)).filter(
        ({ name }) => (!wanted?.length || wanted.includes(name)) && (!pattern || isLike(name, pattern)),
      );
      return {
        ...connection(
          afterCursor(found, page, ({ name }) => name),
          limit,
          {
            toEdge: (file) => ({ node: fileNode(context, run, file), cursor: file.name }),
            cursorOf: ({ name }) => name,
          },
        ),
        uploadHeaders: [],
        totalCount: found.length,
      };
    },
    fileCount: async ({ run }: RunNode, _args: unknown, context: GraphqlContext) => {
      spend(context, rowsOfList);
      return (await context.runs.files(run)).length;
    },

    async logLines(
      { run }: RunNode,
      { useImprovedPagination: _always, last, ...page }: LogArguments,
      context: GraphqlContext,
    ) {
      const limit = pageLimit(context, { ...page, first: last ?? page.first });
      const start = last ? Math.max(0, run.logLines - limit) : page.after ? Number(page.after) + 1 : 0;
      if (!Number.isSafeInteger(start)) throw badRequest('The cursor is not valid.');
      const lines: { number: number; line: string }[] = [];
      for await (const line of context.runs.lines(run, 'log', { last: run.logLines - start })) {
        lines.push({ number: start + lines.length, line });
        if (lines.length > limit) break;
      }
      return connection(lines, limit, { toEdge: (line) => ({ node: line }), cursorOf: ({ number }) => String(number) });
    },

    outputArtifacts: ({ run }: RunNode, page: PageArguments, context: GraphqlContext) =>
      artifactsOf(context, run, 'logged', page),
    inputArtifacts: ({ run }: RunNode, page: PageArguments, context: GraphqlContext) =>
      artifactsOf(context, run, 'used', page),
  },
};

/** What reading all of a run's files or artifacts counts. */
const rowsOfList = 1000;

/** The description is ballast that a self-test of clients sends. */
async function findRun({ id }: ProjectNode, { name, desc: _ballast }: RunArguments, { runs }: GraphqlContext) {
  const run = name ? await runs.find(id, name) : null;
  return run && runNode(run);
}

async function findBucket(project: ProjectNode, { missingOk, ...args }: RunArguments, context: GraphqlContext) {
  const run = await findRun(project, args, context);
  if (run === null && missingOk === false) throw notFound(`The project has no run ${args.name}.`);
  return run;
}

/** The client's own entry in the configuration: of it, the parts of some names. */
function wandbConfigOf(run: Run, keys: string[] | null): Record<string, unknown> {
  const own = parseHistoryRow(run.config)?._wandb as { value?: Record<string, unknown> } | undefined;
  const value = { t: {}, ...own?.value };
  return keys === null ? value : Object.fromEntries(Object.entries(value).filter(([key]) => keys.includes(key)));
}

type RunFile = { name: string; key: string; sizeBytes: number };

function fileNode(context: GraphqlContext, run: Run, { name, key, sizeBytes }: RunFile) {
  const { signedBlobs, address } = context;
  const directUrl = () => signedBlobs.url(address, { method: 'GET', key, md5: null });
  const uploadUrl = () => signedBlobs.url(address, { method: 'PUT', key, md5: null });
  const servedUrl = () => address + signedBlobs.address({ method: 'GET', key, md5: null });
  const url = ({ upload }: { upload?: boolean | null }) => (upload ? uploadUrl() : directUrl());
  const addresses = { url, directUrl, uploadUrl, servedUrl };
  return { id: fileId(run, name), name, displayName: name, ...addresses, sizeBytes, mimetype: null };
}

/** A run may use artifacts of other projects: only those that the caller may read. */
async function artifactsOf(context: GraphqlContext, run: Run, how: 'logged' | 'used', page: PageArguments) {
  spend(context, rowsOfList);
  const limit = pageLimit(context, { ...page, first: page.first ?? rowsOfList });
  const readable = [];
  for (const artifact of await context.artifacts.ofRun(run.id, how)) {
    if (await projectOf(context, artifact.projectId)) readable.push(artifact);
  }
  return {
    ...connection(
      afterCursor(readable, page, ({ id }) => id),
      limit,
      {
        toEdge: (artifact) => ({ node: artifactNode(artifact) }),
        cursorOf: ({ id }) => id,
      },
    ),
    totalCount: readable.length,
  };
}
