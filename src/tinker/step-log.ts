import type { ForwardBackwardResult, OptimizerOptions, OptimizerResult } from '../engine/training/types.ts';
import type { DatumRow } from './rows.ts';

/** What the requests since the last optimizer step came to: the metrics of the next one, under the names that charts show. */
export class StepLog {
  readonly startedAt = performance.now();
  #loss = 0;
  #trainedTokens = 0;
  #tokens = 0;
  #sequences = 0;
  #sampler: ForwardBackwardResult['metrics']['sampler'] = null;
  /** Null once a trainer does not report it. */
  #entropy: number | null = 0;

  add(rows: readonly DatumRow[], { loss, metrics, rows: scores }: ForwardBackwardResult): void {
    this.#loss += loss;
    this.#tokens += metrics.tokens;
    this.#sequences += rows.length;
    this.#sampler = metrics.sampler ?? this.#sampler;
    for (const [i, { row }] of rows.entries()) {
      const { weights, advantages } = row.targets;
      const { logprobs, entropies } = scores[i]!;
      if (entropies === null) this.#entropy = null;
      for (const target of logprobs.keys()) {
        if ((weights?.[target] ?? 1) === 0 || (advantages?.[target] ?? 1) === 0) continue;
        this.#trainedTokens++;
        if (this.#entropy !== null) this.#entropy += entropies![target]!;
      }
    }
  }

  /** Finite numbers only: clients and charts read them. */
  metrics(options: OptimizerOptions, { gradientNorm }: OptimizerResult): Record<string, number> {
    const seconds = (performance.now() - this.startedAt) / 1000;
    const trained = Math.max(1, this.#trainedTokens);
    const sampler = this.#sampler;
    const all = {
      'loss/train': this.#loss / trained,
      ...(this.#entropy !== null && { 'loss/entropy': this.#entropy / trained }),
      'loss/grad_norm': gradientNorm,
      'loss/learning_rate': options.learningRate,
      ...(sampler && {
        'loss/kl_div': sampler.kl,
        'loss/sampler_mismatch': sampler.mismatch,
        'loss/importance_ratio_mean': sampler.ratioMean,
        'loss/clipped_token_fraction': sampler.clippedShare,
      }),
      'data/step_num_trajectories': this.#sequences,
      'data/step_trainer_tokens': this.#trainedTokens,
      num_tokens: this.#tokens,
      tokens_per_second: this.#tokens / Math.max(seconds, 1e-3),
    };
    const isNumber = (entry: [string, number | null]): entry is [string, number] => Number.isFinite(entry[1]);
    return Object.fromEntries(Object.entries(all).filter(isNumber));
  }
}
