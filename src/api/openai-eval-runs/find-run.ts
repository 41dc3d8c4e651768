import type { Context } from '../../context.ts';
import type { OpenAIEvalRun } from '../../domain/openai-evals/run.ts';
import type { Owner } from '../../services/owner.ts';

/** A run of an eval of the project. @throws Failure 404 */
export async function findEvalRun(
  { services }: Pick<Context, 'services'>,
  params: { eval_id: string; run_id: string },
  owner: Owner,
): Promise<OpenAIEvalRun> {
  const { id } = await services.openaiEvals.find(params.eval_id, owner);
  return services.openaiEvals.runs.find(id, params.run_id, owner);
}
