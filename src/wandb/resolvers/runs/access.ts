import { notFound } from '../../../contract/errors.ts';
import type { Run } from '../../../services/runs/runs.ts';
import { type GraphqlContext, projectOf, readProject } from '../context.ts';

/** Whoever may read a project may write to it. @throws ApiError 404 for one that is not there or belongs to others */
export async function writableRun(context: GraphqlContext, id: string): Promise<Run> {
  const run = await context.runs.findById(id);
  if (!run || !(await projectOf(context, run.projectId))) throw notFound(`There is no run with the id ${id}.`);
  return run;
}

export function fileId(run: Run, name: string): string {
  return `${run.id}/${name}`;
}

/** The run and the name of a file by its id. @throws ApiError 404 */
export async function writableFile(context: GraphqlContext, id: string): Promise<{ run: Run; name: string }> {
  const slash = id.indexOf('/');
  const run = await writableRun(context, id.slice(0, Math.max(0, slash)));
  return { run, name: id.slice(slash + 1) };
}

/** The run of a name, for artifacts that it logs or uses; null if there is none. */
export async function runByName(
  context: GraphqlContext,
  { entityName, projectName, runName }: { entityName: string; projectName: string; runName?: string | null },
): Promise<Run | null> {
  if (!runName) return null;
  const project = await readProject(context, { name: projectName, entityName });
  return project && context.runs.find(project.id, runName);
}
