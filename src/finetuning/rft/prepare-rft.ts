import type { RftSettings } from '../../domain/training/rft-settings.ts';
import type { TrainedCall } from '../../domain/training/trained-call.ts';
import { FaultyLines, refuseIfNothingIsLeft } from '../prepare/faulty-lines.ts';
import { batchesOf } from '../sft/prepare-sft.ts';
import { type GradedPrompt, readPrompt } from './prompt.ts';

/** What a job trains on. */
export type PreparedRft = {
  batches: RftBatch[];
  warnings: string[];
  report: { prompts: number; dropped: number; calls: TrainedCall[] };
};

/** One optimizer step. */
export type RftBatch = { prompts: SizedPrompt[]; dropped: number };

export type SizedPrompt = GradedPrompt & { tokens: number };

type Options = {
  settings: RftSettings;
  /** The longest sequence that the model reads, the answer included. */
  contextLength: number;
  /** How many tokens a prompt has. @throws Failure */
  measure(prompt: GradedPrompt): number;
  isValidation?: boolean;
};

/** Turns lines into batches of prompts, in their order. All lines are checked before any is answered. */
export class RftPreparation {
  readonly #options: Options;
  readonly #lines: FaultyLines;
  /** Null for one that leaves no room for an answer. */
  readonly #prompts: (SizedPrompt | null)[] = [];

  constructor(options: Options) {
    this.#options = options;
    this.#lines = new FaultyLines(options);
  }

  add(line: string): void {
    const read = this.#lines.read(line, (text) => {
      const prompt = readPrompt(text);
      return { ...prompt, tokens: this.#options.measure(prompt) };
    });
    if (read) this.#prompts.push(read.item.tokens < this.#options.contextLength ? read.item : null);
  }

  /** @throws Failure that names the lines that cannot be trained on */
  finish(): PreparedRft {
    this.#lines.refuse(this.#prompts);
    const { settings, contextLength } = this.#options;
    const all = Array<(SizedPrompt | null)[]>(settings.epochs).fill(this.#prompts).flat();
    const dropped = this.#prompts.filter((prompt) => prompt === null).length;
    const kept = this.#prompts.filter((prompt) => prompt !== null);
    refuseIfNothingIsLeft(this.#options, kept, `its prompts have ${contextLength} or more tokens`);
    return {
      batches: batchesOf(all, settings.batchSize).map(({ kept: prompts, dropped }) => ({ prompts, dropped })),
      warnings: dropped === 0 ? [] : [`Skipped prompts with ${contextLength} or more tokens: ${dropped}.`],
      report: { prompts: this.#prompts.length, dropped, calls: kept.flatMap(callsOf) },
    };
  }
}

/** The answers of these calls are not trained: the model answers the prompts again. */
function callsOf({ callIds }: SizedPrompt): TrainedCall[] {
  return callIds.map((callId) => ({ callId, weight: 0, split: 'train' }));
}
