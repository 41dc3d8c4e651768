import type { LoopPlan } from '../../api/loops.ts';
import { formatCount, formatDuration, formatNumber, formatPercent } from '../../format/numbers.ts';

/** `wandb-artifact:///entity/project/agent:step3` as `agent:step3`. */
export function trainedName(model: string): string {
  return /^wandb-artifact:\/\/\/[^/]+\/[^/]+\/(.+)$/.exec(model)?.[1] ?? model;
}

export function scoreText({ reward, window_seconds: seconds = 0 }: LoopPlan['scorer']): string {
  return seconds === 0 ? reward : `${reward}; chats younger than ${formatDuration(seconds * 1000)} wait`;
}

export function methodText(method: LoopPlan['method']): string {
  if (method.kind === 'rl') {
    const { learning_rate: rate } = method.experimental_config ?? {};
    return listed(`compares answers to the same ${method.group_by ?? 'prompt'} (RL)`, rateText(rate));
  }
  const epochs = method.experimental_config?.epochs ?? 1;
  return listed(
    `learns answers with a score of at least ${formatNumber(method.least ?? 1)}`,
    `${formatCount(epochs)} ${epochs === 1 ? 'epoch' : 'epochs'}`,
    rateText(method.config?.learning_rate),
  );
}

export function gateText({ scorers, target, guardrails = [], watched = [], rows_max: rows }: LoopPlan['gate']): string {
  return listed(
    `${target.metric} must get better; ${formatNumber(target.gain)} is the smallest gain that matters`,
    target.metric === scorers[0] ? null : `scored by ${scorers.join(', ')}`,
    guardrails.length === 0 ? null : `guardrails: ${guardrails.map(({ metric }) => metric).join(', ')}`,
    watched.length === 0 ? null : `watched: ${watched.map(({ metric }) => metric).join(', ')}`,
    rows == null ? null : `at most ${formatCount(rows)} rows`,
  );
}

export function stagesText({ stages = [], units = 0, hours = 0 }: LoopPlan['rollout']): string {
  if (stages.length === 0) return 'all traffic at once';
  return listed(
    `${stages.map(formatPercent).join(', ')}, then all traffic`,
    units === 0 ? null : `${formatCount(units)} units in each stage`,
    hours === 0 ? null : `at least ${formatDuration(hours * 3_600_000)} each`,
  );
}

export function guardText({ reward, harm = 0.1, window_seconds: seconds }: Guard): string {
  return `${reward}: worse by at most ${formatNumber(harm)}, after ${formatDuration(seconds * 1000)}`;
}

type Guard = NonNullable<LoopPlan['rollout']['scorers']>[number];

export function budgetText(budget: LoopPlan['budget']): string {
  const { rows_least: least, rows_most: most, tokens_most: tokens } = budget ?? {};
  return listed(
    `at least ${formatCount(least ?? 20)} chats`,
    most === undefined ? null : `at most ${formatCount(most)} calls`,
    tokens == null ? null : `at most ${formatCount(tokens)} trained tokens`,
  );
}

export function approverText(approver: string | null | undefined): string {
  if (approver == null) return 'nobody is asked';
  return approver === 'anyone' ? 'anyone who may write to the project' : approver;
}

function rateText(rate: unknown): string | null {
  return typeof rate === 'number' ? `learning rate ${rate}` : null;
}

function listed(...parts: (string | null)[]): string {
  return parts.filter((part) => part !== null).join('; ');
}
