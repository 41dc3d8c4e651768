import { ask } from '../../api/client.ts';
import type { AnswerOf } from '../../api/contract.ts';
import type { CallsToTrain } from './TrainOnThese.tsx';

/** What the form says. Texts of numbers are empty for the default. */
export type Plan = {
  kind: 'sft' | 'rl';
  model: string;
  base: string;
  learningRate: string;
  reward: string;
  groupBy: string;
  trainsWithoutLogprobs: boolean;
  epochs: string;
  heldOutPercent: string;
  trainsLastAnswer: boolean;
  /** Of suites, where the preview shows some. */
  allowsSuiteRows: boolean;
};

export const firstPlan: Plan = {
  kind: 'sft',
  model: '',
  base: '',
  learningRate: '',
  reward: '',
  groupBy: 'prompt',
  trainsWithoutLogprobs: false,
  epochs: '1',
  heldOutPercent: '0',
  trainsLastAnswer: false,
  allowsSuiteRows: false,
};

export type RlPreview = AnswerOf<'POST /calls/train/preview'>;
export type SftPreview = AnswerOf<'POST /calls/train_sft/preview'>;
export type Preview = { kind: 'rl'; found: RlPreview } | { kind: 'sft'; found: SftPreview };

/** @throws RequestError */
export async function previewPlan(plan: Plan, calls: CallsToTrain): Promise<Preview> {
  const { projectId, selected } = calls;
  const sought =
    selected.size > 0
      ? { filter: { call_ids: [...selected] } }
      : { filter: calls.filter ?? null, query: calls.query ?? null };
  const body = { ...modelOf(plan, projectId), ...sought };
  if (plan.kind === 'sft') {
    const found = await ask('POST /calls/train_sft/preview', { body: { ...body, ...sftConfigs(plan) } });
    return { kind: 'sft', found };
  }
  const { reward, groupBy: group_by } = plan;
  const found = await ask('POST /calls/train/preview', { body: { ...body, reward, group_by, ...rlConfig(plan) } });
  return { kind: 'rl', found };
}

/** Starts the job that was previewed. @throws RequestError */
export async function startPlan(plan: Plan, { kind, found }: Preview, projectId: string): Promise<unknown> {
  const body = { ...modelOf(plan, projectId), allow_suite_rows: plan.allowsSuiteRows };
  return kind === 'sft'
    ? ask('POST /calls/train_sft', { body: { ...body, chosen: found.chosen, ...sftConfigs(plan) } })
    : ask('POST /calls/train', { body: { ...body, chosen: found.chosen, ...rlConfig(plan) } });
}

/** Why a job would make no step; null if it would make some. */
export function nothingToLearn({ kind, found }: Preview): string | null {
  if (found.steps > 0) return null;
  if (found.matched === 0) return 'No call matches.';
  if (found.skipped.some(({ reason }) => reason.startsWith('it is not a chat')) && found.chosen.length === 0)
    return 'None of these calls is a chat that can be trained on. To find the chats within traces, show all calls and select those.';
  if (kind === 'sft' || found.trajectories === 0) return 'None of these calls can be trained on.';
  if (found.equal_groups === 0 && found.single_groups === found.groups)
    return 'No two attempts are in one group, so there is nothing to compare. Group by another field, or by “all”.';
  return 'The rewards are the same within each group, so there is nothing to learn.';
}

function modelOf({ model, base }: Plan, project_id: string) {
  return { project_id, model: model.trim(), base_model: base === '' ? null : base };
}

function rlConfig({ learningRate, trainsWithoutLogprobs }: Plan) {
  return {
    experimental_config: {
      ...(learningRate === '' ? {} : { learning_rate: Number(learningRate) }),
      ...(trainsWithoutLogprobs ? { allow_training_without_logprobs: true } : {}),
    },
  };
}

function sftConfigs({ learningRate, epochs, heldOutPercent, trainsLastAnswer }: Plan) {
  return {
    config: {
      ...(learningRate === '' ? {} : { learning_rate: Number(learningRate) }),
      ...(trainsLastAnswer ? { assistant_turns: 'last' as const } : {}),
    },
    experimental_config: { epochs: Number(epochs), held_out_share: Number(heldOutPercent) / 100 },
  };
}
