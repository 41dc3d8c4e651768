import { randomUUID } from 'node:crypto';
import { newId } from '../../../contract/ids.ts';
import type { NewCriterion } from '../../../contract/openai-evals/criterion.ts';
import type { NewDataSourceConfig } from '../../../contract/openai-evals/eval.ts';
import type { OpenAIEval } from '../../../domain/openai-evals/eval.ts';
import { withRowSchema } from '../../../domain/openai-evals/row-schema.ts';
import { createEval, deleteEval, findEval, listEvals, updateEval } from '../../../store/postgres/openai-evals/evals.ts';
import type { Page } from '../../../store/postgres/openai-evals/page.ts';
import { notFound } from '../../../util/failures.ts';
import type { Calls } from '../../calls/calls.ts';
import type { Deps } from '../../deps.ts';
import type { Owner } from '../../owner.ts';
import type { Responses } from '../../responses/responses.ts';
import type { UploadedFiles } from '../../uploaded-files.ts';
import type { Evaluations } from '../evaluations.ts';
import { type ImportedEvals, openImportedEvals } from './imported.ts';
import { type OpenAIEvalItems, openOpenAIEvalItems } from './items.ts';
import { type EvalJobRunner, type OpenAIEvalRuns, openOpenAIEvalRuns } from './runs.ts';

type NewEval = {
  name: string | null;
  config: NewDataSourceConfig;
  criteria: NewCriterion[];
  metadata: Record<string, string>;
};
type Changes = { name: string | null; metadata: Record<string, string> | null };

/** Evals in the shape of OpenAI's API, and their runs. */
export type OpenAIEvals = {
  create(created: NewEval, owner: Owner): Promise<OpenAIEval>;
  /** @throws Failure if the project has no such eval */
  find(id: string, owner: Owner): Promise<OpenAIEval>;
  list(page: Page & { orderBy: 'created_at' | 'updated_at' }, owner: Owner): Promise<OpenAIEval[]>;
  /** @throws Failure if the project has no such eval */
  update(id: string, changes: Changes, owner: Owner): Promise<OpenAIEval>;
  /** Deletes an eval with its runs. @throws Failure if the project has no such eval */
  delete(id: string, owner: Owner): Promise<void>;
  runs: OpenAIEvalRuns;
  items: OpenAIEvalItems;
  imported: ImportedEvals;
};

const runsAtOnce = 100;

export function openOpenAIEvals(
  deps: Pick<Deps, 'postgres' | 'blobs'>,
  services: { calls: Calls; evaluations: Evaluations; responses: Responses; uploadedFiles: UploadedFiles },
  jobs: EvalJobRunner,
): OpenAIEvals {
  const { postgres } = deps;
  const runs = openOpenAIEvalRuns(deps, services, jobs);

  async function find(id: string, { project }: Owner): Promise<OpenAIEval> {
    const found = await findEval(postgres, { projectId: project.id, id });
    if (found === null) throw notFound(`No eval found with id '${id.slice(0, 200)}' in the project ${project.name}.`);
    return found;
  }

  return {
    async create({ name, config, criteria, metadata }, owner) {
      const id = `eval_${newId().replaceAll('-', '')}`;
      await createEval(postgres, owner.project.id, {
        id,
        name: name || 'Untitled eval',
        dataSourceConfig: withRowSchema(config),
        criteria: criteria.map((each) => ({ ...each, id: `${each.name}-${randomUUID()}` })),
        metadata,
      });
      return find(id, owner);
    },
    find,
    list: (page, { project }) => listEvals(postgres, { projectId: project.id, ...page }),
    async update(id, changes, owner) {
      await updateEval(postgres, { projectId: owner.project.id, id }, changes);
      return find(id, owner);
    },
    async delete(id, owner) {
      await find(id, owner);
      for (;;) {
        const some = await runs.list(id, { after: null, limit: runsAtOnce, order: 'asc', status: null }, owner);
        for (const run of some) await runs.delete(run, owner.project.id);
        if (some.length < runsAtOnce) break;
      }
      await deleteEval(postgres, { projectId: owner.project.id, id });
    },
    runs,
    items: openOpenAIEvalItems(services),
    imported: openImportedEvals(deps),
  };
}
