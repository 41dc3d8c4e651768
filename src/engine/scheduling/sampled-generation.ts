import { BadRequest } from '../../chat/bad-request.ts';
import type { PromptLogprobs } from '../../chat/output/logprob-entries.ts';
import type { StepRequest, StepResult } from '../runtime/types.ts';
import { adjustsLogits } from '../sampling/adjust-logits.ts';
import type { PositionLogprobs } from '../sampling/logprobs.ts';
import { isGreedy } from '../sampling/parameters.ts';
import { Sampler } from '../sampling/sampler.ts';
import type { GrammarSession } from '../grammars/grammar-session.ts';
import { Choice } from '../../chat/output/choice.ts';
import type { Lane, Task } from './sequence.ts';
import type { Plan } from '../../chat/plan/plan.ts';
import { PromptLogprobCollector } from './prompt-logprobs.ts';
import type { GenerationEvent, Tenant } from '../../chat/types.ts';

/** One choice with what decides on its tokens. */
type ChoiceLane = Lane & {
  choice: Choice;
  sampler: Sampler;
  grammar: GrammarSession | null;
  /** While the grammar takes the last token, which goes on beside the model's next step. */
  accepting: Promise<unknown> | null;
};

export type TaskOutlet = {
  emit(event: GenerationEvent): void;
  /** Gives back what the engine holds of a lane. */
  release(lane: Lane): void;
  /** Once, when there is nothing more to come; with the reason where the generation failed. */
  end(error: Error | null): void;
};

/** A request that is sampled: its prompt is computed once, and all its choices go on from there. */
export class SamplingTask implements Task {
  readonly priority: number;
  readonly tenant: Tenant;
  readonly cacheSalt: string;
  lanes: Lane[];
  isDone = false;
  readonly #plan: Plan;
  readonly #outlet: TaskOutlet;
  readonly #choices: ChoiceLane[];
  readonly #promptLogprobs: PromptLogprobCollector | null;
  /** The whole rows of logits are needed, not only the best. */
  readonly #needsLogits: boolean;
  #hasPrompt = false;
  #cachedTokens = 0;

  constructor(plan: Plan, grammars: (GrammarSession | null)[], outlet: TaskOutlet) {
    this.#plan = plan;
    this.#outlet = outlet;
    this.priority = plan.priority;
    this.tenant = plan.tenant;
    this.cacheSalt = plan.cacheSalt;
    this.#choices = plan.seeds.map((seed, index): ChoiceLane => {
      const choice = new Choice(index, plan.choiceOptions());
      const sampler = new Sampler({ ...plan.sampling, seed }, plan.promptIds, plan.topLogprobs);
      const grammar = grammars[index] ?? null;
      const lane = { task: this, sequence: null, prompt: plan.promptIds, output: choice.ids };
      return { ...lane, choice, sampler, grammar, accepting: null };
    });
    this.lanes = [this.#choices[0]!];
    const { promptLogprobs, promptIds, model } = plan;
    this.#promptLogprobs =
      promptLogprobs === null ? null : new PromptLogprobCollector(plan.tokenizer, promptIds, promptLogprobs, model);
    this.#needsLogits = !isGreedy(plan.sampling) || adjustsLogits(plan.sampling) || grammars.some(Boolean);
  }

  get needsWholePrompt(): boolean {
    return this.#promptLogprobs !== null && !this.#promptLogprobs.isComplete;
  }

  chunkMax(): number {
    return this.needsWholePrompt ? this.#promptLogprobs!.rowsMax : Number.POSITIVE_INFINITY;
  }

  wants(_lane: Lane, _tokens: number, isLast: boolean): Pick<StepRequest, 'wanted' | 'reduce'> {
    if (this.needsWholePrompt) return { wanted: 'all' };
    if (!isLast) return { wanted: 'none' };
    if (this.#needsLogits) return { wanted: 'last' };
    return { wanted: 'last', reduce: { top: Math.max(1, this.#plan.topLogprobs ?? 0) } };
  }

  take(taken: Lane, result: StepResult, tokens: number, isLast: boolean): Promise<void> | void {
    const lane = taken as ChoiceLane;
    if (this.needsWholePrompt) this.#promptLogprobs!.take(result, tokens);
    if (!isLast) return;
    if (!this.#hasPrompt) this.#begin(result);
    else if (lane.accepting) return this.#advanceLater(lane, result);
    else this.#advance(lane, result);
    this.#endIfFinished();
  }

  reuse(tokens: number): void {
    this.#cachedTokens = tokens;
  }

  fail(error: Error): void {
    if (!this.isDone) this.#end(error);
  }

  /** The prompt is computed: every choice takes its first token after it. */
  #begin(result: StepResult): void {
    this.#hasPrompt = true;
    const promptLogprobs: (PromptLogprobs | null)[] | null = this.#promptLogprobs?.entries ?? null;
    this.#outlet.emit({ kind: 'prompt', cachedTokens: this.#cachedTokens, promptLogprobs });
    const last = lastRow(result, this.#plan.model.vocabSize);
    // The first lane gives up its sequence only when all have been asked: others begin from it.
    for (const lane of this.#choices) {
      const isAlone = this.#choices.length === 1;
      this.#advance(lane, isAlone || last.kind !== 'logits' ? last : { ...last, logits: last.logits.slice() });
    }
    const going = this.#choices.filter(({ choice }) => !choice.isFinished);
    const first = this.#choices[0]!;
    if (going.length > 0 && first.choice.isFinished) {
      going[0]!.sequence = first.sequence;
      first.sequence = null;
      this.lanes = going;
    } else this.lanes = going.length > 0 ? going : [first];
  }

  /** The grammar is not ready to say what may come next. */
  async #advanceLater(lane: ChoiceLane, result: StepResult): Promise<void> {
    await lane.accepting;
    if (this.isDone) return;
    this.#advance(lane, result);
    this.#endIfFinished();
  }

  #advance(lane: ChoiceLane, result: StepResult): void {
    const { choice, grammar } = lane;
    const isComplete = grammar?.mask === null;
    const sampled = isComplete ? null : this.#sample(lane, result);
    if (sampled) {
      this.#tell(lane, choice.push(sampled.id, sampled.logprobs));
      if (grammar && !choice.isFinished) lane.accepting = accepting(lane, grammar, sampled.id);
    } else if (grammar?.mayEnd) this.#tell(lane, choice.end({ finishReason: 'stop', stopReason: null }));
    // Nothing is allowed: right where the grammar may end, a contradiction elsewhere.
    else throw contradiction();
  }

  #sample(lane: ChoiceLane, result: StepResult): { id: number; logprobs: PositionLogprobs | null } | null {
    const row = lastRow(result, this.#plan.model.vocabSize);
    if (row.kind === 'logits') return lane.sampler.sample(row.logits, { mask: lane.grammar?.mask ?? null });
    if (row.kind !== 'reduced') throw new Error(`a step gave ${row.kind} where logits were wanted`);
    return greedySample(row, this.#plan.topLogprobs);
  }

  #tell(lane: ChoiceLane, event: GenerationEvent): void {
    this.#outlet.emit(event);
    if (!lane.choice.isFinished) return;
    lane.grammar?.close();
    if (!this.#hasPrompt || this.lanes.length === 1 || !this.lanes.includes(lane)) return;
    this.#outlet.release(lane);
    this.lanes = this.lanes.filter((other) => other !== lane);
  }

  #endIfFinished(): void {
    if (!this.isDone && this.#choices.every(({ choice }) => choice.isFinished)) this.#end(null);
  }

  #end(error: Error | null): void {
    this.isDone = true;
    for (const { grammar } of this.#choices) grammar?.close();
    this.#outlet.end(error);
  }
}

function accepting(lane: ChoiceLane, grammar: GrammarSession, token: number): Promise<unknown> {
  const accepted = grammar.accept(token).then(() => {
    lane.accepting = null;
  });
  accepted.catch(() => {}); // it fails where it is waited for
  return accepted;
}

function contradiction(): BadRequest {
  const fields = 'allowed_token_ids, bad_words, min_tokens, response_format and structured_outputs';
  return new BadRequest(`No token is left to choose: the constraints contradict each other. Look at ${fields}.`, null);
}

/** Of rows for all tokens, the one after the last. */
function lastRow(result: StepResult, vocabSize: number): StepResult {
  if (result.kind !== 'logits' || result.logits.length === vocabSize) return result;
  return { kind: 'logits', logits: result.logits.subarray(result.logits.length - vocabSize) };
}

function greedySample({ topTokens, topLogits, logSumExp }: StepResult & { kind: 'reduced' }, top: number | null) {
  const ranked = (at: number) => ({ id: topTokens[at]!, logprob: topLogits[at]! - logSumExp[0]!, rank: at + 1 });
  const logprobs = top === null ? null : { token: ranked(0), top: Array.from({ length: top }, (_, at) => ranked(at)) };
  return { id: topTokens[0]!, logprobs };
}
