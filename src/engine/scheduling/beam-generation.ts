import type { StepRequest, StepResult } from '../runtime/types.ts';
import { BeamSearch, type Candidate, type FinishedBeam } from '../sampling/beam-search.ts';
import { Choice } from '../../chat/output/choice.ts';
import type { Lane, Task } from './sequence.ts';
import type { Plan } from '../../chat/plan/plan.ts';
import type { TaskOutlet } from './sampled-generation.ts';
import type { Tenant } from '../../chat/types.ts';

/** A request that looks for its most likely answers: all live beams advance by one token, then the best are kept. */
export class BeamTask implements Task {
  readonly priority: number;
  readonly tenant: Tenant;
  readonly cacheSalt: string;
  readonly needsWholePrompt = false;
  lanes: Lane[];
  isDone = false;
  readonly #plan: Plan;
  readonly #outlet: TaskOutlet;
  readonly #search: BeamSearch;
  readonly #width: number;
  /** What the steps of this round have found. */
  readonly #candidates = new Map<Lane, Candidate[]>();
  #steps = 0;
  #cachedTokens = 0;

  constructor(plan: Plan, outlet: TaskOutlet) {
    this.#plan = plan;
    this.#outlet = outlet;
    this.priority = plan.priority;
    this.tenant = plan.tenant;
    this.cacheSalt = plan.cacheSalt;
    this.#width = plan.seeds.length;
    this.lanes = [this.#lane([])];
    const { eosId, ignoreEos, includesStop } = plan.rules;
    this.#search = new BeamSearch({
      ...{ width: this.#width, lengthPenalty: plan.lengthPenalty, promptLength: plan.promptIds.length },
      ...{ eosId, ignoreEos, includesStop },
    });
  }

  chunkMax(): number {
    return Number.POSITIVE_INFINITY;
  }

  wants(_lane: Lane, _tokens: number, isLast: boolean): Pick<StepRequest, 'wanted' | 'reduce'> {
    const top = Math.min(2 * this.#width, this.#plan.model.vocabSize);
    return isLast ? { wanted: 'last', reduce: { top } } : { wanted: 'none' };
  }

  take(lane: Lane, result: StepResult, _tokens: number, isLast: boolean): void {
    if (!isLast) return;
    if (result.kind !== 'reduced') throw new Error(`a step gave ${result.kind} where the best tokens were wanted`);
    const { topTokens, topLogits, logSumExp } = result;
    const candidates = Array.from(topTokens, (id, at) => ({ id, logprob: topLogits[at]! - logSumExp[0]! }));
    this.#candidates.set(lane, candidates);
    if (this.#candidates.size === this.lanes.length) this.#grow();
  }

  reuse(tokens: number): void {
    this.#cachedTokens = tokens;
  }

  fail(error: Error): void {
    if (this.isDone) return;
    this.isDone = true;
    this.#outlet.end(error);
  }

  /** Each kept beam goes on in the lane it grew from; where several grew from one, the others branch off from it. */
  #grow(): void {
    const parents = this.#search.step(this.lanes.map((lane) => this.#candidates.get(lane)!));
    this.#candidates.clear();
    if (this.#steps++ === 0)
      this.#outlet.emit({ kind: 'prompt', cachedTokens: this.#cachedTokens, promptLogprobs: null });
    const isOver = this.#search.live.length === 0 || this.#steps === this.#plan.rules.maxTokens;
    if (isOver) this.#finish();
    else this.#branch(parents);
  }

  #branch(parents: readonly number[]): void {
    const before = this.lanes;
    const heirs = new Set<Lane>();
    this.lanes = this.#search.live.map(({ tokens }, at) => {
      const parent = before[parents[at]!]!;
      const lane = this.#lane(tokens);
      if (heirs.has(parent)) return lane;
      heirs.add(parent);
      lane.sequence = parent.sequence;
      return lane;
    });
    for (const lane of before) if (!heirs.has(lane)) this.#outlet.release(lane);
  }

  #finish(): void {
    for (const [index, beam] of this.#search.results().entries()) this.#tell(index, beam);
    this.isDone = true;
    this.#outlet.end(null);
  }

  /** The tokens of a beam are told together, in one event. */
  #tell(index: number, { tokens, logprobs, finishReason, stopReason }: FinishedBeam): void {
    const choice = new Choice(index, this.#plan.choiceOptions({ isEndedOutside: true }));
    const wantsLogprobs = this.#plan.topLogprobs !== null;
    const events = tokens.map((id, at) =>
      choice.push(id, wantsLogprobs ? { token: { id, logprob: logprobs[at]!, rank: 0 }, top: [] } : null),
    );
    const last = choice.end({ finishReason, stopReason });
    const all = [...events, last];
    this.#outlet.emit({
      ...last,
      ids: [...tokens],
      logprobs: all.flatMap((event) => event.logprobs),
      deltas: all.flatMap((event) => event.deltas),
    });
  }

  #lane(output: readonly number[]): Lane {
    return { task: this, sequence: null, prompt: this.#plan.promptIds, output };
  }
}
