import type { AdapterFiles } from '../adapters/adapter-files.ts';
import type { StepRequest, StepResult } from '../runtime/types.ts';
import type { Generation, StepPart } from './generation.ts';
import type { Tenant } from './generation-request.ts';
import { newSequence, type Sequence } from './sequence.ts';

/** Which states of a text become its vector: that of the last token, or the mean of all. */
export type Pooling = 'last' | 'mean';

/** A request to embed a text. */
export type EmbeddingRequest = {
  ids: readonly number[];
  pooling: Pooling;
  /** Whether the vector is scaled to length 1. */
  normalizes: boolean;
  adapter: AdapterFiles | null;
  /** Lower values run first. */
  priority: number;
  tenant: Tenant;
};

/** Computes a text without generating anything, and pools its states. */
export class EmbeddingGeneration implements Generation {
  readonly priority;
  readonly tenant;
  readonly adapterId;
  readonly cacheSalt = '';
  readonly keepsPrompt = false;
  readonly needsWholePrompt: boolean;
  sequences: Sequence[];
  isDone = false;
  readonly #request: EmbeddingRequest;
  readonly #end: { resolve(vector: Float32Array): void; reject(error: Error): void };
  /** Summed as doubles, because a long text has thousands of states. */
  #sum: Float64Array | null = null;

  constructor(request: EmbeddingRequest, end: { resolve(vector: Float32Array): void; reject(error: Error): void }) {
    this.#request = request;
    this.#end = end;
    this.priority = request.priority;
    this.tenant = request.tenant;
    this.adapterId = request.adapter?.id ?? null;
    this.needsWholePrompt = request.pooling === 'mean';
    this.sequences = [newSequence(this, request.ids, [])];
  }

  chunkMax(): number {
    return Number.POSITIVE_INFINITY;
  }

  guess(): number[] {
    return [];
  }

  wants(_sequence: Sequence, _tokens: number, isLast: boolean): Pick<StepRequest, 'wanted' | 'output'> {
    if (this.needsWholePrompt) return { wanted: 'all', output: 'states' };
    return isLast ? { wanted: 'last', output: 'states' } : { wanted: 'none' };
  }

  take(sequence: Sequence, result: StepResult, { tokens, isLast }: StepPart): void {
    if (result.kind === 'states') this.#add(result.states, this.needsWholePrompt ? tokens : 1, sequence);
    if (!isLast) return;
    this.isDone = true;
    this.#end.resolve(this.#vector());
  }

  reuse(): void {}

  fail(error: Error): void {
    if (this.isDone) return;
    this.isDone = true;
    this.#end.reject(error);
  }

  #add(states: Float32Array, rows: number, { cached }: Sequence): void {
    const size = states.length / rows;
    // The memory may have been taken in the meantime: then the text is computed again from its first token.
    if (this.#sum === null || cached!.length === rows) this.#sum = new Float64Array(size);
    for (let i = 0; i < states.length; i++) this.#sum[i % size]! += states[i]!;
  }

  #vector(): Float32Array {
    const sum = this.#sum!;
    const scale = this.#request.normalizes ? lengthOf(sum) : this.needsWholePrompt ? this.#request.ids.length : 1;
    return Float32Array.from(sum, (value) => (scale === 0 ? 0 : value / scale));
  }
}

function lengthOf(vector: Float64Array): number {
  return Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
}
