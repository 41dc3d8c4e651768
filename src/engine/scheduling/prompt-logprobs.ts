import type { StepResult } from '../runtime/types.ts';
import { promptLogprobsAt, type RankedLogprob } from '../sampling/logprobs.ts';

/** How many logits may be in transit between the threads at once. */
const logitsMax = 4 * 1024 ** 2;

/** Collects the logprobs of a prompt's tokens while it is computed. */
export class PromptLogprobCollector {
  /** How many tokens one step may compute so that their logits fit. */
  readonly rowsMax: number;
  /** One entry for each token of the prompt except the first, which has no logprob. */
  readonly positions: RankedLogprob[][] = [];
  readonly #prompt: readonly number[];
  readonly #top: number;
  readonly #vocabSize: number;
  #taken = 0;

  constructor(prompt: readonly number[], top: number, vocabSize: number) {
    this.#prompt = prompt;
    this.#top = top;
    this.#vocabSize = vocabSize;
    this.rowsMax = Math.min(256, Math.max(1, Math.floor(logitsMax / vocabSize)));
  }

  /** Every token except the first has its logprob; until then, all rows of logits are needed. */
  get isComplete(): boolean {
    return this.#taken >= this.#prompt.length;
  }

  take(result: StepResult, tokens: number): void {
    if (result.kind !== 'logits') throw new Error(`a step returned ${result.kind}, expected logits`);
    for (let row = 0; row < tokens; row++) {
      const next = this.#prompt[++this.#taken];
      if (next === undefined) return;
      const logits_V = result.logits.subarray(row * this.#vocabSize, (row + 1) * this.#vocabSize);
      this.positions.push(promptLogprobsAt(logits_V, next, this.#top));
    }
  }
}
