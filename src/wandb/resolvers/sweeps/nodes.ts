import type { Sweep } from '../../../services/sweeps.ts';

export type SweepNode = ReturnType<typeof sweepNode>;

export function sweepNode(sweep: Sweep) {
  return {
    __typename: 'Sweep',
    sweep,
    id: sweep.id,
    name: sweep.id,
    displayName: sweep.displayName ?? sweep.plan.name,
    description: sweep.description,
    method: sweep.plan.method,
    state: sweep.state,
    config: sweep.config,
    createdAt: sweep.createdAt.toISOString(),
    updatedAt: sweep.updatedAt.toISOString(),
    heartbeatAt: sweep.updatedAt.toISOString(),
    runCountExpected: sweep.runsMax,
    earlyStopJobRunning: false,
  };
}
