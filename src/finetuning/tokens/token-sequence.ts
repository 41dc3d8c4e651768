/** Tokens to train on, in the order in which the model read and wrote them. */
export type TokenSequence = {
  ids: number[];
  /** The logprob of each token when it was sampled; NaN for tokens of the context, and where it is not known. */
  logprobs: number[];
  /** Whether a token was sampled, so that it has a loss. */
  isTrained: boolean[];
};

/** How the ids of trained tokens and of their prompts were found. */
export type TokenCounts = {
  /** Sampled tokens with the sampler's own ids. */
  exact: number;
  /** Sampled tokens that were looked up by bytes or strings, or tokenized again. */
  reconstructed: number;
  /** Prompts that were rendered and tokenized again. */
  promptsReconstructed: number;
};

export function noTokenCounts(): TokenCounts {
  return { exact: 0, reconstructed: 0, promptsReconstructed: 0 };
}

/**
 * Joins the turns of a conversation. A turn whose prompt begins with all tokens before it continues their sequence;
 * otherwise the sequence ends and a new one begins, as when a template leaves out the reasoning of earlier turns.
 */
export class SequenceBuilder {
  readonly #ended: TokenSequence[] = [];
  #current: TokenSequence | null = null;

  add(promptIds: readonly number[], ids: readonly number[], logprobs: readonly number[]): void {
    const sequence = this.#continued(promptIds) ?? this.#begun();
    const context = promptIds.slice(sequence.ids.length);
    append(sequence, context, new Array(context.length).fill(Number.NaN), false);
    append(sequence, ids, logprobs, true);
  }

  /** The sequences that have trained tokens. */
  end(): TokenSequence[] {
    const all = this.#current ? [...this.#ended, this.#current] : this.#ended;
    return all.filter(({ isTrained }) => isTrained.includes(true));
  }

  #continued(promptIds: readonly number[]): TokenSequence | null {
    const current = this.#current;
    if (!current || promptIds.length < current.ids.length) return null;
    return current.ids.every((id, place) => promptIds[place] === id) ? current : null;
  }

  #begun(): TokenSequence {
    if (this.#current) this.#ended.push(this.#current);
    this.#current = { ids: [], logprobs: [], isTrained: [] };
    return this.#current;
  }
}

function append(
  sequence: TokenSequence,
  ids: readonly number[],
  logprobs: readonly number[],
  isTrained: boolean,
): void {
  for (let i = 0; i < ids.length; i++) {
    sequence.ids.push(ids[i]!);
    sequence.logprobs.push(logprobs[i]!);
    sequence.isTrained.push(isTrained);
  }
}
