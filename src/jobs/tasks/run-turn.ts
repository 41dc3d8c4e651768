import { z } from 'zod';
import type { GateDeps } from '../../evaluation/gates/run-gate.ts';
import type { TrainingFromCalls } from '../../finetuning/from-calls/training-from-calls.ts';
import { giveUpTurn, runTurn } from '../../loops/run-turn.ts';
import type { TurnDeps } from '../../loops/turn-deps.ts';
import type { TurnRunner } from '../../services/loops/loops.ts';
import type { Services } from '../../services/services.ts';
import { isRefusal } from '../../util/failures.ts';
import { FinalError, type JobHandler, type JobKind } from '../job-kind.ts';
import type { Jobs } from '../jobs.ts';
import { finalOf, jobOwnerOf } from './job-owner.ts';
import { runGateKind, startGate } from './run-gate.ts';

const input = z.object({ project: z.string(), userId: z.string() });
type Input = z.output<typeof input>;

/** Turns of loops. The id of the job is that of the turn. They mostly wait, so many run at once. */
export const runTurnKind: JobKind<Input> = {
  name: 'run-turn',
  input,
  hasKeys: false,
  runningMax: 1000,
  runningPerProjectMax: 200,
  attemptsMax: 5,
  retryDelaySeconds: 5,
  retryDelayMaxSeconds: 300,
};

type Deps = GateDeps & { jobs: Jobs; services: Services; trainingFromCalls: TrainingFromCalls };

export function runTurnHandler(deps: Deps): JobHandler<Input> {
  const { services, trainingFromCalls, jobs } = deps;
  const turnDeps: TurnDeps = {
    services,
    trainingFromCalls,
    async startGate(request, owner, id) {
      await startGate(deps, request, owner, id);
    },
    async cancelGate(id) {
      await jobs.cancel(runGateKind, id);
    },
  };
  return {
    run: async (given, { id, signal, report, assertHeld }) =>
      finalOf(async () => runTurn(turnDeps, id, await jobOwnerOf(deps, given), { signal, report, fence: assertHeld })),
    async failed(given, error, { id, assertHeld }) {
      const reason = error instanceof Error ? error.message : String(error);
      await giveUpTurn(turnDeps, id, await ownerOrNull(given), { outcome: 'failed', reason }, assertHeld);
    },
    async canceled(given, { id, assertHeld }) {
      const end = { outcome: 'canceled' as const, reason: 'The turn was canceled.' };
      await giveUpTurn(turnDeps, id, await ownerOrNull(given), end, assertHeld);
    },
  };

  async function ownerOrNull(given: Input) {
    const owner = await jobOwnerOf(deps, given).catch((error) => {
      if (error instanceof FinalError || isRefusal(error)) return null;
      throw error;
    });
    return { owner, project: given.project };
  }
}

/** How services queue and cancel turns. */
export function turnQueue(jobs: Jobs): TurnRunner {
  return {
    async enqueue({ id, loop, project }, transaction) {
      const of = { project, userId: loop.createdBy };
      await jobs.add(runTurnKind, { id, project: loop.projectId, input: of, transaction });
    },
    cancel: (id) => jobs.cancel(runTurnKind as JobKind<unknown>, id),
  };
}
