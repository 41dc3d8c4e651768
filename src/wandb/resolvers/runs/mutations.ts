import { z } from 'zod';
import { badRequest, notFound } from '../../../contract/errors.ts';
import { parseHistoryRow } from '../../../domain/runs/history.ts';
import type { Run, RunChanges } from '../../../services/runs/runs.ts';
import { type GraphqlContext, type Input, type ProjectNode, readProject, writeProject } from '../context.ts';
import { fileId, writableFile, writableRun } from './access.ts';
import { runNode } from './nodes.ts';

type UpsertInput = {
  id?: string | null;
  name?: string | null;
  modelName?: string | null;
  entityName?: string | null;
  displayName?: string | null;
  description?: string | null;
  notes?: string | null;
  groupName?: string | null;
  jobType?: string | null;
  commit?: string | null;
  config?: string | null;
  summaryMetrics?: string | null;
  host?: string | null;
  jobProgram?: string | null;
  jobRepo?: string | null;
  state?: string | null;
  tags?: string[] | null;
  debug?: boolean | null;
  sweep?: string | null;
};
type RewindInput = {
  runName: string;
  entityName?: string | null;
  projectName?: string | null;
  metricName: string;
  metricValue: number;
};
type RunFilesInput = { entityName?: string | null; projectName?: string | null; runName: string; files: string[] };

export const runMutations = {
  Mutation: {
    async upsertBucket(_root: unknown, { input }: Input<UpsertInput>, context: GraphqlContext) {
      const { debug: _stored } = input; // a run for debugging is stored like any other
      const changes = changesOf(input);
      if (input.id) {
        const run = await writableRun(context, input.id);
        await requireSweep(context, run.projectId, changes.sweepId);
        await context.runs.change(run.id, changes);
        return { bucket: runNode((await context.runs.findById(run.id))!), inserted: false, serverSettings };
      }
      if (!input.name) throw badRequest('The run needs an id or a name.');
      const project = await writeProject(context, { name: input.modelName, entityName: input.entityName });
      const named = { projectId: project.id, name: input.name, createdBy: context.caller.userId };
      await requireSweep(context, project.id, changes.sweepId);
      const fork = await forkOf(context, named, changes);
      const { run, isNew } = await context.runs.upsert(named, { state: 'running', ...changes });
      if (fork && run.historyLines === 0) await context.runs.fork(run, fork.parent, fork.step);
      return { bucket: runNode((await context.runs.findById(run.id))!), inserted: isNew, serverSettings };
    },

    async rewindRun(_root: unknown, { input }: Input<RewindInput>, context: GraphqlContext) {
      const { runName, entityName, projectName, metricName, metricValue } = input;
      if (metricName !== '_step') throw badRequest(`A run is resumed from a _step, not from ${metricName}.`);
      const project = await readProject(context, { name: projectName, entityName });
      const run = project && (await context.runs.find(project.id, runName));
      if (!run) throw notFound(`The project has no run ${runName}.`);
      await context.runs.rewind(run, metricValue);
      await context.runs.change(run.id, { state: 'running' });
      return { rewoundRun: runNode((await context.runs.findById(run.id))!) };
    },

    async createRunFiles(_root: unknown, { input }: Input<RunFilesInput>, context: GraphqlContext) {
      const project = await writeProject(context, { name: input.projectName, entityName: input.entityName });
      const run = await context.runs.find(project.id, input.runName);
      if (!run) throw notFound(`The project has no run ${input.runName}.`);
      const files = await context.runs.addFiles(run, input.files);
      const { signedBlobs, address } = context;
      return {
        runID: run.id,
        uploadHeaders: [],
        files: files.map(({ name, key }) => ({
          id: fileId(run, name),
          name,
          uploadUrl: () => signedBlobs.url(address, { method: 'PUT', key, md5: null }),
        })),
      };
    },

    async markRunFilesUploaded(_root: unknown, { input }: Input<RunFilesInput>, context: GraphqlContext) {
      const project = await readProject(context, { name: input.projectName, entityName: input.entityName });
      const run = project && (await context.runs.find(project.id, input.runName));
      if (!run) throw notFound(`The project has no run ${input.runName}.`);
      await context.runs.addFiles(run, input.files);
      return { success: true };
    },

    async deleteFiles(
      _root: unknown,
      { input: { files: ids, projectId } }: Input<{ files: string[]; projectId?: number | null }>,
      context: GraphqlContext,
    ) {
      const files = await Promise.all(ids.map((id) => writableFile(context, id)));
      const other = files.find(({ run }) => (projectId ?? null) !== null && runNode(run).projectId !== projectId);
      if (other) throw badRequest(`The file ${other.name} is not in the project ${projectId}.`);
      for (const some of Map.groupBy(files, ({ run }) => run.id).values()) {
        const names = some.map(({ name }) => name);
        await context.runs.deleteFiles(some[0]!.run, names);
      }
      return { success: true };
    },

    async deleteRun(
      _root: unknown,
      { input }: Input<{ id: string; deleteArtifacts?: boolean | null }>,
      context: GraphqlContext,
    ) {
      const run = await writableRun(context, input.id);
      if (input.deleteArtifacts) {
        for (const artifact of await context.artifacts.ofRun(run.id, 'logged')) {
          await context.artifacts.delete(artifact, { deletesAliases: true });
        }
      }
      await context.runs.delete(run);
      return {};
    },
  },
};

/** Nothing that the server says to a user who starts a run. */
const serverSettings = { serverMessages: [] };

/** A client that forks a run names its parent in the configuration. @throws ApiError if the parent does not exist */
async function forkOf(
  { runs }: GraphqlContext,
  { projectId, name }: { projectId: ProjectNode['id']; name: string },
  { config }: RunChanges,
): Promise<{ parent: Run; step: number } | null> {
  const own = parseHistoryRow(config ?? '{}')?._wandb;
  const branch = branchSchema.safeParse(own);
  if (!branch.success) return null;
  const { run_id: parentName, step } = branch.data.value.branch_point;
  if (parentName === name) return null; // it is resumed from one of its own steps
  const parent = await runs.find(projectId, parentName);
  if (!parent) throw notFound(`The project has no run ${parentName} to fork.`);
  return { parent, step };
}

const branchSchema = z.object({
  value: z.object({ branch_point: z.object({ run_id: z.string(), step: z.number().int().nonnegative() }) }),
});

/** @throws ApiError 404 for a sweep that the project does not have */
async function requireSweep({ sweeps }: GraphqlContext, projectId: ProjectNode['id'], id?: string | null) {
  if (id && (await sweeps.find(id))?.projectId !== projectId) throw notFound(`The project has no sweep ${id}.`);
}

/** Null leaves a field as it is. */
function changesOf(input: UpsertInput): RunChanges {
  const changes = {
    displayName: input.displayName || null,
    description: input.description,
    notes: input.notes,
    group: input.groupName,
    jobType: input.jobType,
    commit: input.commit,
    config: input.config,
    summary: input.summaryMetrics,
    host: input.host,
    program: input.jobProgram,
    repository: input.jobRepo,
    state: input.state,
    sweepId: input.sweep || null,
    tags: input.tags,
  };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== null && value !== undefined));
}
