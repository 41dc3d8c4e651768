import { z } from 'zod';
import { newId } from '../../contract/ids.ts';
import { type GateRequest, planGate } from '../../evaluation/gates/plan-gate.ts';
import { type GateDeps, recordGateException, runGate } from '../../evaluation/gates/run-gate.ts';
import type { Owner } from '../../services/owner.ts';
import type { Services } from '../../services/services.ts';
import type { JobHandler, JobKind } from '../job-kind.ts';
import type { Jobs } from '../jobs.ts';
import { finalOf, jobOwnerOf } from './job-owner.ts';

const input = z.object({ project: z.string(), userId: z.string() });
type Input = z.output<typeof input>;

/** Gates. The id of the job is that of the gate. */
export const runGateKind: JobKind<Input> = {
  name: 'run-gate',
  input,
  hasKeys: false,
  runningMax: 2,
  runningPerProjectMax: 1,
  attemptsMax: 5,
  retryDelaySeconds: 2,
  retryDelayMaxSeconds: 300,
};

/** Plans a gate, and stores the plan with the job that runs it. @throws Failure for a request that cannot be decided */
export async function startGate(
  deps: GateDeps & { jobs: Jobs; services: Pick<Services, 'resources'> },
  request: GateRequest,
  owner: Owner,
  id = newId(),
) {
  const planned = { ...(await planGate(deps, request, owner)), id };
  const job = { id: planned.id, project: owner.project.id };
  const of = { project: owner.project.name, userId: owner.caller.userId };
  return deps.services.gates.add(planned, owner, async (transaction) => {
    await deps.jobs.add(runGateKind, { ...job, input: of, transaction });
  });
}

export function runGateHandler(deps: GateDeps): JobHandler<Input> {
  return {
    run: async (given, { id, ...job }) => finalOf(async () => runGate(deps, id, await jobOwnerOf(deps, given), job)),
    async failed(given, error, { id, assertHeld }) {
      const owner = await jobOwnerOf(deps, given);
      const message = error instanceof Error ? error.message : String(error);
      await assertHeld();
      await recordGateException(deps, { id }, owner, message);
      await deps.services.gates.fail(id, message, assertHeld);
    },
    async canceled(given, { id, assertHeld }) {
      const owner = await jobOwnerOf(deps, given);
      await assertHeld();
      await recordGateException(deps, { id }, owner, 'The gate was canceled.');
      await deps.services.gates.cancel(id, assertHeld);
    },
  };
}
