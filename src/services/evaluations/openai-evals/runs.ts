import type { Transaction } from 'kysely';
import { newId, type ProjectId } from '../../../contract/ids.ts';
import type { DataSource } from '../../../contract/openai-eval-runs/data-source.ts';
import type { OpenAIEval } from '../../../domain/openai-evals/eval.ts';
import { noResults } from '../../../domain/openai-evals/results.ts';
import type { OpenAIEvalRun, RunStatus } from '../../../domain/openai-evals/run.ts';
import { readOpenAiId } from '../../../domain/openai-ids.ts';
import { findEval } from '../../../store/postgres/openai-evals/evals.ts';
import type { Page } from '../../../store/postgres/openai-evals/page.ts';
import {
  createRun,
  deleteRun,
  findRun,
  findRunOfCall,
  listRuns,
  updateOpenRun,
} from '../../../store/postgres/openai-evals/runs.ts';
import type { Database } from '../../../store/postgres/schema.ts';
import { notFound } from '../../../util/failures.ts';
import type { Calls } from '../../calls/calls.ts';
import type { Deps } from '../../deps.ts';
import type { Owner } from '../../owner.ts';
import type { Responses } from '../../responses/responses.ts';
import type { UploadedFiles } from '../../uploaded-files.ts';
import { rowsKey, rowsOf, toLines } from './rows.ts';
import { storedChatRows } from './stored-chats.ts';
import { storedResponseRows } from './stored-responses.ts';

/** Runs the jobs of runs. */
export type EvalJobRunner = {
  enqueue(
    job: { callId: string; projectId: string; project: string; userId: string },
    transaction: Transaction<Database>,
  ): Promise<void>;
  /** Stops the work on a run. Does not change its record, which may have been deleted. */
  cancel(callId: string): Promise<void>;
  /** Stores that the run is not worked on again, with the status that says so. Call `cancel` afterwards. */
  askToCancel(callId: string, transaction: Transaction<Database>): Promise<void>;
};

/** A run with its eval, and the user it runs as. */
export type OpenRun = {
  run: OpenAIEvalRun;
  of: OpenAIEval;
  owner: Owner;
};

type NewRun = {
  name: string | null;
  dataSource: DataSource;
  metadata: Record<string, string>;
};

export type OpenAIEvalRuns = {
  /** Queues a run. It survives a crash once this resolves. @throws Failure if the file of its rows does not exist */
  create(of: OpenAIEval, run: NewRun, owner: Owner): Promise<OpenAIEvalRun>;
  /** @throws Failure if the eval has no such run */
  find(evalId: string, id: string, owner: Owner): Promise<OpenAIEvalRun>;
  list(evalId: string, page: Page & { status: RunStatus | null }, owner: Owner): Promise<OpenAIEvalRun[]>;
  /** A run that has not ended, for its job; null if it has ended or was deleted. */
  open(callId: string, owner: Owner): Promise<OpenRun | null>;
  /** The rows of its data source, as JSON texts. @throws Failure if they cannot be read */
  rows(open: OpenRun): AsyncIterable<string>;
  /** The rows in the request that created it, as they are returned; null if it had none. */
  content(run: OpenAIEvalRun, owner: Owner): Promise<string[] | null>;
  /** Changes a run that has not ended. @returns whether there is one */
  update(callId: string, changes: Parameters<typeof updateOpenRun>[2]): Promise<boolean>;
  /** Ends a run that has not ended, and stops its work. */
  cancel(run: OpenAIEvalRun): Promise<void>;
  /** Deletes a run with its calls, and stops its work. */
  delete(run: OpenAIEvalRun, projectId: ProjectId): Promise<void>;
};

type RunServices = {
  calls: Calls;
  responses: Responses;
  uploadedFiles: Pick<UploadedFiles, 'open' | 'read'>;
};

export function openOpenAIEvalRuns(
  { postgres, blobs }: Pick<Deps, 'postgres' | 'blobs'>,
  { calls, responses, uploadedFiles }: RunServices,
  jobs: EvalJobRunner,
): OpenAIEvalRuns {
  /** The rows in the request that created a run. */
  async function* givenRows({ callId }: OpenAIEvalRun, { project }: Owner): AsyncGenerator<string> {
    const found = await blobs.get(rowsKey(project.id, callId));
    if (found === null) throw notFound('The rows of the run are gone.');
    yield* rowsOf(found);
  }

  return {
    async create(of, { name, dataSource, metadata }, { project, caller }) {
      const callId = newId();
      const { source } = dataSource;
      if (source.type === 'file_id') await uploadedFiles.read(project.id, fileOf(source.id));
      const rows = source.type === 'file_content' ? source.content : null;
      if (rows !== null) await blobs.put(rowsKey(project.id, callId), toLines(rows));
      const run = {
        id: `evalrun_${callId.replaceAll('-', '')}`,
        evalId: of.id,
        callId,
        name: name || of.name,
        dataSource: withoutRows(dataSource),
        model: dataSource.type === 'jsonl' ? '' : (dataSource.model ?? ''),
        metadata,
        status: 'queued' as const,
        error: null,
        results: noResults(of.criteria.map(({ id }) => id)),
        createdBy: caller.userId,
      };
      await postgres.db.transaction().execute(async (transaction) => {
        await createRun({ db: transaction }, project.id, run);
        const job = { callId, projectId: project.id, project: project.name, userId: caller.userId };
        await jobs.enqueue(job, transaction);
      });
      return (await findRunOfCall(postgres, callId))!;
    },

    async find(evalId, id, { project }) {
      const found = await findRun(postgres, { projectId: project.id, evalId, id });
      if (found === null)
        throw notFound(`No eval run found with id '${id.slice(0, 200)}' in the eval '${evalId.slice(0, 200)}'.`);
      return found;
    },

    list: (evalId, page, { project }) => listRuns(postgres, { projectId: project.id, id: evalId }, page),

    async open(callId, owner) {
      const run = await findRunOfCall(postgres, callId);
      if (run === null || !isOpen(run)) return null;
      const of = await findEval(postgres, { projectId: owner.project.id, id: run.evalId });
      return of && { run, of, owner };
    },

    async *rows({ run, of, owner }) {
      const { source } = run.dataSource;
      if (source.type === 'file_content') yield* givenRows(run, owner);
      else if (source.type === 'file_id') yield* rowsOf(await uploadedFiles.open(owner.project.id, fileOf(source.id)));
      else {
        const { dataSourceConfig: config } = of;
        const metadata = config.type === 'custom' ? {} : (config.metadata ?? {});
        if (source.type === 'responses') yield* storedResponseRows({ calls, responses }, source, metadata, owner);
        else yield* storedChatRows({ calls }, source, metadata, owner.project);
      }
    },

    async content(run, owner) {
      return run.dataSource.source.type === 'file_content' ? Array.fromAsync(givenRows(run, owner)) : null;
    },

    update: (callId, changes) => updateOpenRun(postgres, callId, changes),

    async cancel({ callId }) {
      const wasOpen = await postgres.db.transaction().execute(async (transaction) => {
        const isCanceled = await updateOpenRun({ db: transaction }, callId, { status: 'canceled' });
        if (isCanceled) await jobs.askToCancel(callId, transaction);
        return isCanceled;
      });
      if (wasOpen) await jobs.cancel(callId);
    },

    async delete({ callId }, projectId) {
      await deleteRun(postgres, callId);
      await jobs.cancel(callId);
      await calls.delete(projectId, [callId]);
      await blobs.delete(rowsKey(projectId, callId));
    },
  };
}

/** @throws Failure if it cannot be the id of a file */
function fileOf(id: string): string {
  const found = readOpenAiId('file-', id);
  if (found === null) throw notFound(`No such File object: ${id.slice(0, 200)}`, { param: 'data_source.source.id' });
  return found;
}

function isOpen({ status }: OpenAIEvalRun): boolean {
  return status === 'queued' || status === 'in_progress';
}

function withoutRows(dataSource: DataSource): DataSource {
  const { source } = dataSource;
  if (source.type !== 'file_content') return dataSource;
  return { ...dataSource, source: { ...source, content: [] } } as DataSource; // of the same kind as before
}
