import { selectColumns } from '../../domain/calls/columns.ts';
import { type FoundReward, type RewardPath, rewardOf } from '../../domain/training/reward.ts';
import type { AnsweredCall } from '../../services/calls/answered-call.ts';
import type { Calls } from '../../services/calls/calls.ts';
import type { Project } from '../../services/owner.ts';
import { parsePlain } from '../../util/json/parse.ts';

/** A score, and the call that has it: the scored call or one around it. */
export type Score = { ownerId: string; found: NonNullable<FoundReward> };

/** Calls around a call are looked through up to this distance. */
const levelsMax = 20;

type Known = { found: FoundReward; parentId: string };

/** Finds the scores of calls. A call without one has that of the nearest call around it. */
export class Scores {
  readonly #calls: Pick<Calls, 'find'>;
  readonly #project: Project;
  readonly #path: RewardPath;
  /** Calls around those that were asked for. */
  readonly #known = new Map<string, Known>();

  constructor(calls: Pick<Calls, 'find'>, project: Project, path: RewardPath) {
    this.#calls = calls;
    this.#project = project;
    this.#path = path;
  }

  /** The scores of calls that were read with their feedback, by the ids of the calls. */
  async of(answered: AnsweredCall[]): Promise<Map<string, Score>> {
    const scores = new Map<string, Score>();
    let open = new Map<string, Known & { at: string }>();
    for (const each of answered) open.set(each.call.id, { ...this.#read(each), at: each.call.id });
    for (let level = 0; open.size > 0 && level < levelsMax; level++) {
      const above = new Map<string, string>();
      for (const [id, { found, parentId, at }] of open) {
        if (found) scores.set(id, { ownerId: at, found });
        else if (parentId !== '') above.set(id, parentId);
      }
      await this.#learn([...new Set(above.values())]);
      open = new Map();
      for (const [id, at] of above) {
        const known = this.#known.get(at);
        if (known) open.set(id, { ...known, at });
      }
    }
    return scores;
  }

  async #learn(ids: string[]): Promise<void> {
    const missing = ids.filter((id) => !this.#known.has(id));
    if (missing.length === 0) return;
    const columns = selectColumns(['parent_id', ...(this.#path.kind === 'field' ? [this.#path.column] : [])]);
    const found = await this.#calls.find(missing, { project: this.#project, columns, includeFeedback: true });
    for (const each of found) this.#known.set(each.call.id, this.#read(each));
  }

  #read({ call, extras }: AnsweredCall): Known {
    const feedback = parsePlain(extras.feedback ?? '[]') as { feedback_type: string; payload: unknown }[];
    const rated = {
      feedback: feedback.map(({ feedback_type: type, payload }) => ({ type, payload })),
      field: (column: 'inputs' | 'output' | 'attributes' | 'summary') => parsePlain(call[column] || 'null'),
    };
    return { found: rewardOf(this.#path, rated), parentId: call.parentId };
  }
}
