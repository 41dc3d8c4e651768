import { parsePlain } from '../../util/json/parse.ts';
import { type PreparedRl, type RlGroup, RlPreparation, type RlTrajectory } from './prepare-rl.ts';

/** One line of a job's data, as `services/training/write-trajectories.ts` stores them. */
type Line = { group?: { exceptions?: unknown[] | null }; trajectory?: RlTrajectory };

/** Reads groups of trajectories from lines. */
export class RlLines {
  readonly #preparation: RlPreparation;
  #group: RlGroup | null = null;

  constructor(options: ConstructorParameters<typeof RlPreparation>[0]) {
    this.#preparation = new RlPreparation(options);
  }

  add(line: string): void {
    const { group, trajectory } = parsePlain(line) as Line;
    if (group) {
      this.#endGroup();
      this.#group = { trajectories: [], exceptions: group.exceptions?.length ?? 0 };
    }
    if (trajectory) this.#group!.trajectories.push(trajectory);
  }

  finish(): PreparedRl {
    this.#endGroup();
    return this.#preparation.finish();
  }

  #endGroup(): void {
    if (this.#group) this.#preparation.add(this.#group);
    this.#group = null;
  }
}
