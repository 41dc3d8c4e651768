import { createHash } from 'node:crypto';
import { v7 } from 'uuid';
import type { ProjectId } from '../../../contract/ids.ts';
import type { OpenAIEval } from '../../../domain/openai-evals/eval.ts';
import type { OpenAIEvalRun } from '../../../domain/openai-evals/run.ts';
import type { RunObjects } from '../../../domain/openai-evals/run-objects.ts';
import { createEval } from '../../../store/postgres/openai-evals/evals.ts';
import { addRunObjects, createRun } from '../../../store/postgres/openai-evals/runs.ts';
import type { Deps } from '../../deps.ts';
import type { Owner } from '../../owner.ts';
import { rowsKey } from './rows.ts';

export type ImportedRun = Omit<OpenAIEvalRun, 'callId' | 'createdBy' | 'objects'>;

/** Evals and runs of another server, with their ids there. */
export type ImportedEvals = {
  /** @returns false if the project already has an eval with this id, which does not change */
  addEval(added: Omit<OpenAIEval, 'updatedAt'>, owner: Owner): Promise<boolean>;
  /**
   * Adds a run that has ended.
   * @param rows as JSON texts, if its data source has them
   * @returns false if the project already has a run with this id, which does not change
   */
  addRun(run: ImportedRun, rows: AsyncIterable<string>, owner: Owner): Promise<boolean>;
  /** Records what a run evaluates. @returns false if it is already known, or the run was deleted */
  addObjects(callId: string, objects: RunObjects): Promise<boolean>;
};

export function openImportedEvals({ postgres, blobs }: Pick<Deps, 'postgres' | 'blobs'>): ImportedEvals {
  return {
    addEval: (added, { project }) => createEval(postgres, project.id, added),

    async addRun(run, rows, { project, caller }) {
      const callId = callIdOf(project.id, run);
      if (run.dataSource.source.type === 'file_content') await blobs.put(rowsKey(project.id, callId), asLines(rows));
      return createRun(postgres, project.id, { ...run, callId, createdBy: caller.userId });
    },

    addObjects: (callId, objects) => addRunObjects(postgres, callId, objects),
  };
}

/** Derived, so that each import of a run gets the same. */
function callIdOf(projectId: ProjectId, { id, createdAt }: ImportedRun): string {
  return v7({ msecs: createdAt.getTime(), random: createHash('sha256').update(`${projectId}/${id}`).digest() });
}

async function* asLines(rows: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const row of rows) yield Buffer.from(`${row}\n`);
}
