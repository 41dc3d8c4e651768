import type { RlSettings } from '../../domain/training/rl-settings.ts';
import type { StepRollouts } from '../../domain/training/rollout.ts';
import type { TrainedCall } from '../../domain/training/trained-call.ts';
import { uniformAt } from '../../engine/sampling/random.ts';
import { advantagesOf, isTrainable } from '../../engine/training/batches/advantages.ts';
import { balanceRows, trajectoryWeight } from '../../engine/training/batches/balance.ts';
import { packGroups, type TokenizedResult } from '../../engine/training/batches/pack.ts';
import type { TrainingRow } from '../../engine/training/row.ts';
import { type RolloutsWanted, sequencesInRow, takeRollouts } from '../prepare/rollouts.ts';
import { type History, historyTokens, type Rendering } from '../tokens/history-tokens.ts';
import { noTokenCounts, type TokenCounts, type TokenSequence } from '../tokens/token-sequence.ts';

export type RlTrajectory = History & { reward: number; additional_histories?: History[] | null };
export type RlGroup = { trajectories: RlTrajectory[]; exceptions: number };

/** What a job trains on. */
export type PreparedRl = { rows: PreparedRow[]; warnings: string[]; report: RlReport; rollouts: StepRollouts[] };

/** One optimizer step, and how many results it learns from. */
export type PreparedRow = { row: TrainingRow; results: number };

export type RlReport = {
  groups: number;
  trainableGroups: number;
  /** Exceptions are not counted. */
  trajectories: number;
  exceptions: number;
  /** Of all trajectories. */
  rewardMean: number;
  /** Of the groups whose rewards differ; 0 if there are none. */
  advantages: { min: number; mean: number; max: number };
  tokens: number;
  trainedTokens: number;
  counts: TokenCounts;
  /** The calls that the trained choices came from, as far as they are known. */
  calls: TrainedCall[];
};

type Options = {
  settings: RlSettings;
  /** The longest sequence that the model reads. */
  contextLength: number;
  rendering: Rendering;
  decode(ids: number[]): string;
  rollouts: RolloutsWanted;
  /** Two preparations with one seed are equal. */
  seed: bigint;
};

/** Rows without a length of their own are as long as a multiple of this, as in ART, and at most the context. */
const rowLengthUnit = 2048;

/** Turns trajectories into rows of tokens with their advantages, group by group. */
export class RlPreparation {
  readonly #options: Options;
  readonly #warnings = new Warnings();
  readonly #report = emptyReport();
  readonly #random: () => number;
  readonly #groups: TokenizedResult[][] = [];
  readonly #advantages = new Range();
  #rewards = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#random = randomOf(options.seed);
  }

  /** Groups whose rewards are all equal have nothing to learn from. */
  add({ trajectories, exceptions }: RlGroup): void {
    const report = this.#report;
    const rewards = trajectories.map(({ reward }) => reward);
    const advantages = advantagesOf(rewards, this.#options.settings.scalesRewards);
    report.groups++;
    report.exceptions += exceptions;
    report.trajectories += rewards.length;
    this.#rewards += rewards.reduce((sum, reward) => sum + reward, 0);
    if (isTrainable(rewards)) {
      report.trainableGroups++;
      this.#advantages.add(advantages);
    }
    const results = trajectories.flatMap((trajectory, i) => {
      if (advantages[i] === 0) return [];
      const advantage = advantages[i]!;
      return resultsOf(this.#sequencesOf(trajectory, advantage), advantage);
    });
    this.#groups.push(results);
  }

  finish(): PreparedRl {
    const { settings, contextLength, decode } = this.#options;
    const lengthMax = Math.min(settings.rowLength ?? defaultRowLength(this.#groups), contextLength);
    const packed = packGroups(this.#groups, lengthMax, this.#random);
    for (let i = 0; i < packed.tooLong; i++) {
      this.#warnings.add('A trajectory was skipped', `it has more than ${lengthMax} tokens`);
    }
    const balanced = balanceRows(packed.rows, settings.advantageBalance);
    const rows = balanced.map((row, i) => ({ row, results: packed.resultsOfRow[i]! }));
    const report = this.#report;
    if (report.groups > 0 && report.trainableGroups === 0) this.#warnings.add('Nothing is trained', equalRewards);
    report.rewardMean = report.trajectories === 0 ? 0 : this.#rewards / report.trajectories;
    report.advantages = this.#advantages.end();
    for (const { row } of rows) {
      report.tokens += row.tokens.length;
      report.trainedTokens += row.targets.tokens.length;
    }
    const rollouts = takeRollouts(balanced, sequencesInRow, decode, this.#options.rollouts);
    return { rows, warnings: this.#warnings.list(), report, rollouts };
  }

  #sequencesOf(trajectory: RlTrajectory, advantage: number): TokenSequence[] {
    const { settings, rendering } = this.#options;
    const { counts, calls } = this.#report;
    const warnings = this.#warnings;
    const historyOptions = {
      trainsWithoutLogprobs: settings.trainsWithoutLogprobs,
      onDropped: (reason: string) => warnings.add('A choice was skipped', reason),
      onTrained: (callId: string) => calls.push({ callId, weight: advantage, split: 'train' }),
      onFiltered: (filters: string[]) => warnings.add(filteredWarning, filters.join(', ')),
    };
    const histories = [trajectory, ...(trajectory.additional_histories ?? [])];
    return histories.flatMap((history) => historyTokens(history, rendering, counts, historyOptions));
  }
}

function resultsOf(sequences: TokenSequence[], advantage: number): TokenizedResult[] {
  const trained = sequences.reduce((sum, { isTrained }) => sum + isTrained.filter(Boolean).length, 0);
  return sequences.map(({ ids, isTrained, logprobs }) => ({
    tokens: Int32Array.from(ids),
    mask: Uint8Array.from(isTrained, Number),
    logprobs: Float32Array.from(logprobs),
    advantage,
    weight: trajectoryWeight(trained),
  }));
}

function defaultRowLength(groups: TokenizedResult[][]): number {
  const longest = groups.flat().reduce((most, { tokens }) => Math.max(most, tokens.length), 1);
  return Math.ceil(longest / rowLengthUnit) * rowLengthUnit;
}

function emptyReport(): RlReport {
  return {
    groups: 0,
    trainableGroups: 0,
    trajectories: 0,
    exceptions: 0,
    rewardMean: 0,
    advantages: { min: 0, mean: 0, max: 0 },
    tokens: 0,
    trainedTokens: 0,
    counts: noTokenCounts(),
    calls: [],
  };
}

class Range {
  #count = 0;
  #sum = 0;
  #min = 0;
  #max = 0;

  add(values: number[]): void {
    for (const value of values) {
      this.#min = this.#count === 0 ? value : Math.min(this.#min, value);
      this.#max = this.#count === 0 ? value : Math.max(this.#max, value);
      this.#sum += value;
      this.#count++;
    }
  }

  end(): { min: number; mean: number; max: number } {
    return { min: this.#min, mean: this.#count === 0 ? 0 : this.#sum / this.#count, max: this.#max };
  }
}

function randomOf(seed: bigint): () => number {
  let drawn = 0;
  return () => uniformAt(seed, drawn++);
}

const equalRewards = 'the rewards of each group are equal';

const filteredWarning =
  'A choice is trained although the model alone did not choose its tokens, so its logprobs are not those of the policy';

/** Warnings, each once with the number of its repetitions. */
class Warnings {
  readonly #counts = new Map<string, number>();

  add(what: string, reason: string): void {
    const warning = `${what}: ${reason}`;
    this.#counts.set(warning, (this.#counts.get(warning) ?? 0) + 1);
  }

  list(): string[] {
    const shown = [...this.#counts].slice(0, warningsMax);
    return shown.map(([warning, count]) => (count === 1 ? `${warning}.` : `${warning} (${count} times).`));
  }
}

const warningsMax = 50;
