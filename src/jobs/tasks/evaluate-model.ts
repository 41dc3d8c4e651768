import { z } from 'zod';
import { recordFailure } from '../../evaluation/record-run.ts';
import { type EvaluationRequest, runEvaluation } from '../../evaluation/run-evaluation.ts';
import type { EvaluationDeps } from '../../evaluation/setup.ts';
import type { JobHandler, JobKind } from '../job-kind.ts';
import { finalOf, jobOwnerOf } from './job-owner.ts';

const input = z.object({ project: z.string(), userId: z.string(), evaluation: z.string(), model: z.string() });
type Input = z.output<typeof input>;

/** Evaluations that run on the server. The id of the job is that of the call that the evaluation becomes. */
export const evaluateModel: JobKind<Input> = {
  name: 'evaluate-model',
  input,
  hasKeys: false,
  runningMax: 4,
  runningPerProjectMax: 2,
  attemptsMax: 5,
  retryDelaySeconds: 2,
  retryDelayMaxSeconds: 300,
};

export function evaluateModelHandler(deps: EvaluationDeps): JobHandler<Input> {
  const requestOf = async (id: string, { evaluation, model, ...owner }: Input): Promise<EvaluationRequest> => ({
    runId: id,
    owner: await jobOwnerOf(deps, owner),
    evaluation,
    model,
  });
  return {
    run: async (given, { id, signal, report, assertHeld }) =>
      finalOf(async () => runEvaluation(deps, await requestOf(id, given), { signal, report, assertHeld })),
    async failed(given, error, { id, assertHeld }) {
      const request = await requestOf(id, given);
      await assertHeld();
      await recordFailure(deps, request, error instanceof Error ? error.message : String(error));
    },
    async canceled(given, { id, assertHeld }) {
      const request = await requestOf(id, given);
      await assertHeld();
      await recordFailure(deps, request, 'The evaluation was canceled.');
    },
  };
}
