export type Candidate = { id: number; logprob: number };

export type Beam = {
  tokens: readonly number[];
  logprobs: readonly number[];
  score: number;
};

export type FinishedBeam = Beam & { finishReason: 'stop' | 'length'; stopReason: number | null };

export type BeamRules = {
  width: number;
  lengthPenalty: number;
  promptLength: number;
  eosId: number | null;
  ignoreEos: boolean;
  includesStop: boolean;
};

/** The state of a beam search. Each step needs the `2 · width` best raw logprobs after each live beam. */
export class BeamSearch {
  live: Beam[] = [{ tokens: [], logprobs: [], score: 0 }];
  #finished: FinishedBeam[] = [];
  readonly #rules: BeamRules;

  constructor(rules: BeamRules) {
    this.#rules = rules;
  }

  /** Adds the candidates of each live beam, in the order of `live`. @returns the index of each new beam's parent */
  step(candidates: readonly (readonly Candidate[])[]): number[] {
    const grown: { beam: Beam; parent: number }[] = [];
    for (const [parent, beam] of this.live.entries()) {
      for (const candidate of candidates[parent]!) {
        if (candidate.id === this.#rules.eosId && !this.#rules.ignoreEos) this.#finish(beam, candidate);
        else grown.push({ beam: grow(beam, candidate), parent });
      }
    }
    this.#finished = this.#best(this.#finished);
    grown.sort((a, b) => b.beam.score - a.beam.score);
    const kept = grown.slice(0, this.#rules.width);
    this.live = kept.map(({ beam }) => beam);
    return kept.map(({ parent }) => parent);
  }

  /** The best beams, best first. Live beams have reached the length limit. */
  results(): FinishedBeam[] {
    const cut = this.live.map((beam) => ({ ...beam, finishReason: 'length' as const, stopReason: null }));
    return this.#best([...this.#finished, ...cut]);
  }

  #best(beams: readonly FinishedBeam[]): FinishedBeam[] {
    const ranked = beams.map((beam) => ({ beam, rank: this.#rankScore(beam) }));
    ranked.sort((a, b) => b.rank - a.rank);
    return ranked.slice(0, this.#rules.width).map(({ beam }) => beam);
  }

  #finish(beam: Beam, eos: Candidate): void {
    const score = beam.score + eos.logprob;
    const ended = this.#rules.includesStop ? { ...grow(beam, eos), score } : { ...beam, score };
    this.#finished.push({ ...ended, finishReason: 'stop', stopReason: eos.id });
  }

  /** Score ÷ lengthᵃ, where a is the length penalty. The length includes the prompt but not the end-of-text token. */
  #rankScore(beam: FinishedBeam): number {
    const endsWithEos = beam.finishReason === 'stop' && this.#rules.includesStop;
    const length = this.#rules.promptLength + beam.tokens.length - (endsWithEos ? 1 : 0);
    return beam.score / length ** this.#rules.lengthPenalty;
  }
}

function grow(beam: Beam, { id, logprob }: Candidate): Beam {
  return { tokens: [...beam.tokens, id], logprobs: [...beam.logprobs, logprob], score: beam.score + logprob };
}
