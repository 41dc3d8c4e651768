import { randomBytes } from 'node:crypto';
import type { ProjectId } from '../contract/ids.ts';
import { gridPoint } from '../domain/sweeps/grid.ts';
import { randomPoint } from '../domain/sweeps/random-point.ts';
import type { Point } from '../domain/sweeps/sweep-plan.ts';
import {
  addSweep,
  changeSweep,
  findSweep,
  listSweeps,
  type Sweep,
  type SweepChanges,
  type SweepSettings,
  takeIndex,
} from '../store/postgres/sweeps/sweeps.ts';
import { conflict } from '../util/failures.ts';
import type { Deps } from './deps.ts';

export type { Sweep, SweepChanges };

/** What an agent does next: start a run, wait, or end with its runs. */
export type AgentCommand =
  | { type: 'run'; runName: string; program: string | null; point: Point }
  | { type: 'wait' }
  | { type: 'exit' };

/** Searches over parameters: agents ask for a point, start a run with it, and ask again. */
export type Sweeps = {
  create(sweep: { projectId: ProjectId } & SweepSettings): Promise<Sweep>;
  /** @throws Failure for a new config after the first run, or to continue after all runs have started */
  change(sweep: Sweep, changes: SweepChanges): Promise<void>;
  find(id: string): Promise<Sweep | null>;
  list(projectId: ProjectId): Promise<Sweep[]>;
  nextCommand(sweep: Sweep, agent: { isBusy: boolean }): Promise<AgentCommand>;
};

export function openSweeps({ postgres }: Pick<Deps, 'postgres'>): Sweeps {
  return {
    async create(sweep) {
      const id = shortId();
      await addSweep(postgres, { ...sweep, id, seed: randomBytes(16).toString('hex') });
      return (await findSweep(postgres, id))!;
    },

    async change(sweep, changes) {
      const { runsMax } = changes.plan ?? sweep;
      if (changes.state === 'RUNNING' && runsMax !== null && sweep.nextIndex >= runsMax)
        throw conflict(`The sweep ${sweep.id} cannot go on: all of its ${runsMax} runs have started.`);
      if (!(await changeSweep(postgres, sweep.id, changes)))
        throw conflict(`The config of the sweep ${sweep.id} cannot change after its first run.`);
    },

    find: (id) => findSweep(postgres, id),
    list: (projectId) => listSweeps(postgres, projectId),

    async nextCommand({ id, state }, { isBusy }) {
      if (state === 'CANCELED') return { type: 'exit' };
      if (isBusy) return { type: 'wait' }; // "exit" would end the run
      if (state === 'FINISHED') return { type: 'exit' };
      const taken = await takeIndex(postgres, id);
      if (taken === null) return { type: 'wait' }; // paused, or finished by another agent just now
      const { index, sweep } = taken;
      const { method, parameters, program } = sweep.plan;
      const point = method === 'grid' ? gridPoint(parameters, index) : randomPoint(parameters, sweep.seed, index);
      return { type: 'run', runName: shortId(), program, point };
    },
  };
}

/** Like the clients' ids of runs, which users type. */
function shortId(): string {
  return Array.from(randomBytes(8), (byte) => (byte % 36).toString(36)).join('');
}
