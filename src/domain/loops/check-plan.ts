import type { LoopPlan } from '../../contract/loops/loop.ts';
import { callsMax } from '../../contract/training-from-calls/calls-sought.ts';
import { invalidInput } from '../../util/failures.ts';
import { parseRewardPath } from '../training/reward.ts';

const hoursMax = 24 * 366;

/** @throws Failure for a plan that no turn can carry out, whatever the project has */
export function checkLoopPlan({ chats, scorer, rollout, budget, every_hours: every, gate }: LoopPlan): void {
  const fail = (param: string, message: string) => invalidInput(`${param}: ${message}`, { param });
  if (chats.view === null && chats.where === null)
    throw fail('chats', 'name a saved view (view), or give a condition (where).');
  parseRewardPath(scorer.reward);
  requireNumber('scorer.window_seconds', scorer.window_seconds, 0, hoursMax * 3600);
  if (rollout.stages.length > 20) throw fail('rollout.stages', 'at most 20 stages are allowed.');
  for (const [i, share] of rollout.stages.entries()) {
    if (!(share > 0 && share < 1)) throw fail('rollout.stages', `${share} is not between 0 and 1.`);
    if (i > 0 && share <= rollout.stages[i - 1]!)
      throw fail('rollout.stages', 'each stage has a larger share than the one before.');
  }
  requireNumber('rollout.units', rollout.units, 0, 1e9);
  requireNumber('rollout.hours', rollout.hours, 0, hoursMax);
  const decides = rollout.scorers.some(({ missing }) => missing !== 'shown_only');
  if (rollout.stages.length > 0 && !decides && rollout.hours === 0)
    throw fail('rollout', 'give scorers that guard the stages, or the hours that each stage lasts (hours).');
  requireNumber('budget.rows_least', budget.rows_least, 1, callsMax);
  requireNumber('budget.rows_most', budget.rows_most, budget.rows_least, callsMax);
  if (budget.tokens_most !== null) requireNumber('budget.tokens_most', budget.tokens_most, 1, Number.MAX_SAFE_INTEGER);
  if (every !== null) requireNumber('every_hours', every, 0.01, hoursMax);
  if (isSameScore(gate.target.metric, scorer.reward))
    throw fail(
      'gate.target.metric',
      `${scorer.reward} also chooses what is trained on. A model that has learned to please it is found by another scorer only.`,
    );

  function requireNumber(param: string, value: number, least: number, most: number): void {
    if (!(value >= least && value <= most)) throw fail(param, `${value} is not from ${least} to ${most}.`);
  }
}

/** One may be a member of the other. */
function isSameScore(metric: string, reward: string): boolean {
  return metric === reward || metric.startsWith(`${reward}.`) || reward.startsWith(`${metric}.`);
}
