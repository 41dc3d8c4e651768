import { badRequest, notFound } from '../../../contract/errors.ts';
import type { RunChanges } from '../../../services/runs/runs.ts';
import { type GraphqlContext, type Input, writeProject } from '../context.ts';
import { writableRun } from './access.ts';
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
};
type RunFilesInput = { entityName?: string | null; projectName?: string | null; runName: string; files: string[] };

export const runMutations = {
  Mutation: {
    async upsertBucket(_root: unknown, { input }: Input<UpsertInput>, context: GraphqlContext) {
      const changes = changesOf(input);
      if (input.id) {
        const run = await writableRun(context, input.id);
        await context.runs.change(run.id, changes);
        return { bucket: runNode((await context.runs.findById(run.id))!), inserted: false };
      }
      if (!input.name) throw badRequest('The run needs an id or a name.');
      const project = await writeProject(context, { name: input.modelName, entityName: input.entityName });
      const named = { projectId: project.id, name: input.name, createdBy: context.caller.userId };
      const { run, isNew } = await context.runs.upsert(named, { state: 'running', ...changes });
      return { bucket: runNode(run), inserted: isNew };
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
          id: key,
          name,
          uploadUrl: address + signedBlobs.address({ method: 'PUT', key, md5: null }),
        })),
      };
    },

    markRunFilesUploaded: () => ({ success: true }), // what is uploaded is known by itself

    async deleteRun(_root: unknown, { input }: Input<{ id: string }>, context: GraphqlContext) {
      await context.runs.delete(await writableRun(context, input.id));
      return { clientMutationId: null };
    },
  },
};

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
    tags: input.tags,
  };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== null && value !== undefined));
}
