import { Readable } from 'node:stream';
import { type RlConfig, rlConfig } from '../../contract/training-jobs/rl-config.ts';
import type { BaseModel } from '../../domain/model.ts';
import type { Overlaps, OverlapsOfCalls } from '../../domain/suites/overlap.ts';
import { type RlSettings, rlConfigFault, rlSettings } from '../../domain/training/rl-settings.ts';
import type { Rollout } from '../../domain/training/rollout.ts';
import { splitMetrics } from '../../domain/training/split-metrics.ts';
import type { Caller } from '../../identity/identity.ts';
import type { Calls } from '../../services/calls/calls.ts';
import type { Deps } from '../../services/deps.ts';
import { baseOfName } from '../../services/models/artifact-model.ts';
import { trajectoryLines } from '../../services/training/write-trajectories.ts';
import { invalidInput } from '../../util/failures.ts';
import { prepareInThread } from '../prepare/prepare.ts';
import { createTarget, findTarget, type StartedModel, type TargetDeps, type WantedModel } from '../target-model.ts';
import {
  type Chosen,
  type ChosenTrajectory,
  chooseCalls,
  type HasOwnTokens,
  type WantedCalls,
} from './choose-calls.ts';
import { withSuiteRows } from './sft-from-calls.ts';
import { storedGroups } from './stored-trajectories.ts';

type WantedTraining = WantedModel & { config: Record<string, unknown> };

/** Reinforcement learning on chats that are in the trace store. */
export type RlFromCalls = {
  /** Chooses calls and prepares them as a job would. Nothing is stored. @throws Failure */
  preview(
    wanted: WantedTraining &
      Omit<WantedCalls, 'project' | 'trainsWithoutLogprobs'> & {
        /** Whether trajectories that match rows of suites are left out, instead of shown. */
        leavesOutSuiteRows?: boolean;
      },
    signal: AbortSignal,
  ): Promise<Preview>;
  /** Queues a job that trains on calls that a preview chose. @throws Failure */
  start(wanted: WantedTraining & StartedModel, chosen: ChosenTrajectory[][]): Promise<{ id: string }>;
};

type Range = { min: number; mean: number; max: number };

/** A preview of a job's training data. */
type Preview = {
  model: string;
  base: string;
  /** The checkpoint that the job continues from; 0 for the base model. */
  step: number;
  matched: number;
  read: number;
  skipped: { reason: string; count: number }[];
  groups: number;
  /** Groups of one trajectory, and groups of more whose rewards are all equal. */
  withoutSpread: { single: number; equal: number };
  trajectories: number;
  calls: number;
  rewards: Range;
  advantages: Range;
  tokens: { trained: number; masked: number; exact: number; reconstructed: number; promptsReconstructed: number };
  steps: number;
  learningRate: number;
  warnings: string[];
  /** Rows of suites that the data matches: the job would be refused unless it allows them. */
  suites: Overlaps;
  /** Of the first step, for people. */
  examples: Rollout[];
  /** For `start`. */
  chosen: ChosenTrajectory[][];
};

const examplesMax = 3;

export type RlFromCallsDeps = TargetDeps & Pick<Deps, 'identity' | 'postgres'> & { calls: Calls };

export function openRlFromCalls(deps: RlFromCallsDeps): RlFromCalls {
  const { calls, training } = deps;

  /** Tokens have a meaning only in the vocabulary of the model that wrote them. */
  function hasTokensOf(base: BaseModel, caller: Caller): HasOwnTokens {
    const known = new Map<string, Promise<string | null>>();
    return async ({ model }) => {
      if (model === null) return false;
      if (!known.has(model)) known.set(model, baseOfName(deps, caller, model));
      return (await known.get(model)) === base.name;
    };
  }

  return {
    async preview(wanted, signal) {
      const { config, settings, warnings } = readConfig(wanted.config);
      const { base, step } = await findTarget(deps, wanted);
      const hasOwnTokens = hasTokensOf(base, wanted.caller);
      const { trainsWithoutLogprobs } = settings;
      const source = { calls, project: wanted.project, hasOwnTokens };
      const compare = (groups: ChosenTrajectory[][]) => {
        const open = async () => trajectoryLines(storedGroups(source, groups));
        return deps.suites.preview(wanted.project.id, { counted: 'trajectories', open }, signal);
      };
      const all = await chooseCalls(calls, { ...wanted, trainsWithoutLogprobs }, hasOwnTokens, signal);
      const chosen = wanted.leavesOutSuiteRows ? leaveOut(all, await compare(all.groups)) : all;
      const lines = () => trajectoryLines(storedGroups(source, chosen.groups));
      const request = {
        kind: 'rl' as const,
        settings,
        base,
        seed: 0n,
        now: Date.now(),
        rollouts: { stepsMax: 1, perStepMax: examplesMax },
      };
      const prepared = await prepareInThread(deps.modelReader, Readable.from(lines()), request, signal);
      const { rows, overlaps } = await compare(chosen.groups);
      const { counts, advantages, tokens, trainedTokens, trainableGroups } = prepared.report;
      const single = chosen.groups.filter((group) => group.length === 1).length;
      return {
        model: `${wanted.project.name}/${wanted.model}`,
        base: base.name,
        step,
        matched: chosen.matched,
        read: chosen.read,
        skipped: chosen.skipped,
        groups: chosen.groups.length,
        withoutSpread: { single, equal: chosen.groups.length - single - trainableGroups },
        trajectories: chosen.groups.flat().length,
        calls: chosen.groups.flat().reduce((sum, { callIds }) => sum + callIds.length, 0),
        rewards: rangeOf(chosen.groups.flat().map(({ reward }) => reward)),
        advantages,
        tokens: { trained: trainedTokens, masked: tokens - trainedTokens, ...counts },
        steps: prepared.rows.length,
        learningRate: config.learning_rate ?? settings.learningRate,
        warnings: [...warnings, ...prepared.warnings],
        suites: { rows, overlaps },
        examples: prepared.rollouts[0]?.rollouts ?? [],
        chosen: chosen.groups,
      };
    },

    async start(wanted, chosen) {
      readConfig(wanted.config);
      const { project, caller, config } = wanted;
      const { model, base } = await createTarget(deps, wanted);
      const source = { calls, project, hasOwnTokens: hasTokensOf(base, caller) };
      return training.jobs.createRlOfLines({
        model,
        lines: trajectoryLines(storedGroups(source, chosen)),
        metrics: splitMetrics('train', chosen.map(withRewardsOnly)),
        config,
        createdBy: caller.userId,
        ...{ id: wanted.id, allowsSuiteRows: wanted.allowsSuiteRows, startsFrom: wanted.startsFrom },
        callIds: chosen.flat().flatMap(({ callIds }) => callIds),
      });
    },
  };
}

/** Without the trajectories that match rows of suites. */
function leaveOut(chosen: Chosen, { rows, callIds: matching }: OverlapsOfCalls): Chosen {
  const isClean = ({ callIds }: ChosenTrajectory) => !callIds.some((id) => matching.has(id));
  const groups = chosen.groups.map((group) => group.filter(isClean)).filter((group) => group.length > 0);
  return { ...chosen, groups, skipped: withSuiteRows(chosen.skipped, rows) };
}

/** @throws Failure for a key or value that no job can have */
function readConfig(given: Record<string, unknown>): { config: RlConfig; settings: RlSettings; warnings: string[] } {
  const unknown = Object.keys(given).filter((key) => !Object.hasOwn(rlConfig.shape, key));
  if (unknown.length > 0) {
    throw invalidInput(
      `There is no setting ${unknown.join(', ')}. The settings of a job are ${Object.keys(rlConfig.shape).join(', ')}.`,
    );
  }
  const parsed = rlConfig.safeParse(given);
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!;
    throw invalidInput(`The setting ${path.join('.')} is invalid: ${message}.`);
  }
  const fault = rlConfigFault(parsed.data);
  if (fault) throw invalidInput(`The setting ${fault.key} is invalid: ${fault.message}.`);
  return { config: parsed.data, ...rlSettings(parsed.data) };
}

function withRewardsOnly(group: ChosenTrajectory[]) {
  return { trajectories: group.map(({ reward }) => ({ reward, metrics: null })), exceptions: null, metrics: null };
}

function rangeOf(values: number[]): Range {
  if (values.length === 0) return { min: 0, mean: 0, max: 0 };
  let [min, max, sum] = [values[0]!, values[0]!, 0];
  for (const value of values) {
    min = Math.min(min, value);
    max = Math.max(max, value);
    sum += value;
  }
  return { min, mean: sum / values.length, max };
}
