import type { Context } from '../../context.ts';
import type * as contract from '../../contract/training-from-calls/rl-preview.ts';
import type { Handler } from '../../http/bind.ts';
import type { FairGate } from '../../util/fair-gate.ts';
import { rolloutAnswer } from '../training-jobs/rollout-answer.ts';
import { callsSought, requestSignal, suitesAnswer, wantedModel } from './wanted.ts';

export function trainingRlPreview(context: Context, gate: FairGate): Handler<typeof contract.trainingRlPreview> {
  return async ({ caller, body }) => {
    const { reward, group_by: groupBy, experimental_config } = body;
    const wanted = { ...(await wantedModel(context, caller, body)), ...callsSought(body), reward, groupBy };
    const signal = requestSignal();
    const found = await gate.run([caller.userId], () =>
      context.trainingFromCalls.rl.preview({ ...wanted, config: experimental_config ?? {} }, signal),
    );
    return {
      ...{ model: found.model, base_model: found.base, step: found.step },
      ...{ matched: found.matched, read: found.read, skipped: found.skipped },
      ...{ trained_tokens: found.tokens.trained, masked_tokens: found.tokens.masked },
      ...{ exact_tokens: found.tokens.exact, reconstructed_tokens: found.tokens.reconstructed },
      ...{ steps: found.steps, learning_rate: found.learningRate, warnings: found.warnings },
      ...suitesAnswer(found.suites),
      groups: found.groups,
      single_groups: found.withoutSpread.single,
      equal_groups: found.withoutSpread.equal,
      ...{ trajectories: found.trajectories, rewards: found.rewards, advantages: found.advantages },
      examples: found.examples.map(rolloutAnswer),
      chosen: found.chosen.map((group) => group.map(({ callIds, reward }) => ({ call_ids: callIds, reward }))),
    };
  };
}
