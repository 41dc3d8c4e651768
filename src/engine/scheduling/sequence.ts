import type { Sequence, StepRequest, StepResult } from '../runtime/types.ts';
import type { Tenant } from '../../chat/types.ts';

/** One sequence of tokens that wants to grow. The scheduler decides when it takes part in a step. */
export type Lane = {
  readonly task: Task;
  /** What the engine holds of it; null before it is opened, and again when its memory was taken. */
  sequence: Sequence | null;
  prompt: readonly number[];
  output: readonly number[];
};

/** What the scheduler works on: one request with the lanes it has at the moment. */
export type Task = {
  /** Lower is earlier. */
  readonly priority: number;
  /** Among those of the same priority, users take turns, and the projects of a user. */
  readonly tenant: Tenant;
  /** Requests with different salts share no computed prompt. */
  readonly cacheSalt: string;
  /** Lanes that wait for nothing but their turn; best first. */
  lanes: Lane[];
  readonly isDone: boolean;
  /** How much of the prompt may not be taken from earlier requests: what is not computed cannot be told. */
  readonly needsWholePrompt: boolean;
  /** What the lane wants to know after these tokens, of which the last is the newest or not. */
  wants(lane: Lane, tokens: number, isLast: boolean): Pick<StepRequest, 'wanted' | 'reduce'>;
  /** How many tokens of a prompt may be taken in one step. */
  chunkMax(lane: Lane): number;
  /**
   * Takes what a step found. `isLast` says that every token of the lane is computed. While a promise is open, the lane
   * takes part in no step.
   */
  take(lane: Lane, result: StepResult, tokens: number, isLast: boolean): Promise<void> | void;
  /** Tells that `tokens` of the prompt were known from an earlier request. */
  reuse(tokens: number): void;
  fail(error: Error): void;
};

export function laneLength({ prompt, output }: Lane): number {
  return prompt.length + output.length;
}

export function computedLength({ sequence }: Lane): number {
  return sequence?.length ?? 0;
}

/** The tokens from a place on, at most `count`. */
export function laneTokens({ prompt, output }: Lane, from: number, count: number): Int32Array {
  const length = Math.min(count, prompt.length + output.length - from);
  const tokens = new Int32Array(length);
  for (let i = 0; i < length; i++) {
    const at = from + i;
    tokens[i] = at < prompt.length ? prompt[at]! : output[at - prompt.length]!;
  }
  return tokens;
}

/** Of the other lanes of a request, the one that has computed most of what this one needs, and how much that is. */
export function originOf(lane: Lane): { lane: Lane; length: number } | null {
  let best: { lane: Lane; length: number } | null = null;
  for (const other of lane.task.lanes) {
    if (other === lane || !other.sequence) continue;
    const length = Math.min(sharedLength(lane, other), computedLength(other), laneLength(lane) - 1);
    if (length > (best?.length ?? 0)) best = { lane: other, length };
  }
  return best;
}

/** Lanes of one request begin with the same prompt. */
function sharedLength({ prompt, output }: Lane, other: Lane): number {
  let shared = 0;
  while (shared < output.length && output[shared] === other.output[shared]) shared++;
  return prompt.length + shared;
}
