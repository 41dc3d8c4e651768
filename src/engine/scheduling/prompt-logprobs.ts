import { type PromptLogprobs, promptLogprobs } from '../../chat/output/logprob-entries.ts';
import type { LoadedModel, StepResult } from '../runtime/types.ts';
import { promptLogprobsAt, type RankedLogprob } from '../sampling/logprobs.ts';
import type { Tokenizer } from '../../chat/tokenizer/tokenizer.ts';

/** Logits that may be under way from one thread to the other at once. */
const logitsMax = 4 * 1024 ** 2;

/** Gathers the logprobs of a prompt's own tokens while it is computed. */
export class PromptLogprobCollector {
  /** How many tokens one step may take, so that their logits fit. */
  readonly rowsMax: number;
  readonly #tokenizer: Tokenizer;
  readonly #prompt: readonly number[];
  readonly #top: number;
  readonly #vocabSize: number;
  readonly #positions: RankedLogprob[][] = [];

  constructor(tokenizer: Tokenizer, prompt: readonly number[], top: number, { vocabSize }: LoadedModel) {
    this.#tokenizer = tokenizer;
    this.#prompt = prompt;
    this.#top = top;
    this.#vocabSize = vocabSize;
    this.rowsMax = Math.min(256, Math.max(1, Math.floor(logitsMax / vocabSize)));
  }

  /** Every token but the first has its logprob; before that, all rows of logits are wanted. */
  get isComplete(): boolean {
    return this.#taken >= this.#prompt.length;
  }

  #taken = 0;

  take(result: StepResult, tokens: number): void {
    if (result.kind !== 'logits') throw new Error(`a step gave ${result.kind} where logits were wanted`);
    for (let row = 0; row < tokens; row++) {
      const next = this.#prompt[++this.#taken];
      if (next === undefined) return;
      const logits_V = result.logits.subarray(row * this.#vocabSize, (row + 1) * this.#vocabSize);
      this.#positions.push(promptLogprobsAt(logits_V, next, this.#top));
    }
  }

  get entries(): (PromptLogprobs | null)[] {
    return promptLogprobs(this.#tokenizer, this.#prompt, this.#positions);
  }
}
