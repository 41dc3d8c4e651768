import { z } from 'zod';
import { type EvalDeps, failOpenAIEval, runOpenAIEval } from '../../evaluation/openai-evals/run-eval.ts';
import type { EvalJobRunner } from '../../services/evaluations/openai-evals/runs.ts';
import type { JobHandler, JobKind } from '../job-kind.ts';
import type { Jobs } from '../jobs.ts';
import { finalOf, jobOwnerOf } from './job-owner.ts';

const input = z.object({ project: z.string(), userId: z.string() });
type Input = z.output<typeof input>;

/** Runs of evals in OpenAI's shape. The id of the job is that of the call that the run becomes. */
export const runEvalKind: JobKind<Input> = {
  name: 'openai-eval',
  input,
  hasKeys: false,
  runningMax: 4,
  runningPerProjectMax: 2,
  attemptsMax: 5,
  retryDelaySeconds: 2,
  retryDelayMaxSeconds: 300,
};

export function runEvalHandler(deps: EvalDeps): JobHandler<Input> {
  return {
    run: async (given, { id, signal, report, assertHeld }) =>
      finalOf(async () => runOpenAIEval(deps, id, await jobOwnerOf(deps, given), { signal, report, assertHeld })),
    async failed(given, error, { id, assertHeld }) {
      const owner = await jobOwnerOf(deps, given);
      await assertHeld();
      await failOpenAIEval(deps, id, owner, error);
    },
    async canceled(given, { id, assertHeld }) {
      const owner = await jobOwnerOf(deps, given);
      await assertHeld();
      await failOpenAIEval(deps, id, owner, null);
    },
  };
}

/** How services queue and cancel runs of evals. */
export function evalQueue(jobs: Jobs): EvalJobRunner {
  return {
    async enqueue({ callId, projectId, ...given }, transaction) {
      await jobs.add(runEvalKind, { id: callId, project: projectId, input: given, transaction });
    },
    async cancel(callId) {
      await jobs.cancel(runEvalKind as JobKind<unknown>, callId);
    },
    askToCancel: (callId, transaction) => jobs.askToCancel(runEvalKind as JobKind<unknown>, callId, transaction),
  };
}
