import { type Failure, invalidInput } from '../../util/failures.ts';
import { IsolationLost } from '../../util/workers/isolated-process.ts';
import type { Constraint } from './constraint.ts';
import type { GrammarRequest, GrammarVocabulary, StateReply } from './grammar-requests.ts';
import type { GrammarServers } from './grammar-servers.ts';
import { type GrammarProcess, loadVocabulary } from './load-vocabulary.ts';

/** The result of a trial: why a constraint cannot be used (null if it can), and until when the result is valid. */
export type Verdict = { refusal: string | null; until: number; isSlow: boolean };

/** Includes compiling again and replaying the tokens generated so far. */
const openTimeoutMs = 20_000;
const stepTimeoutMs = 5_000;
/** A grammar that takes more processor time for one token is served apart from the others. */
const slowStepMs = 100;
/** Other sequences can end the process of a sequence. More often than this, something else is wrong. */
const lossesMax = 16;

/** The state of a grammar for one sequence. Calls must not overlap. */
export class GrammarSession {
  /** The tokens that may come next: bit `id` is set for allowed ones, lowest bit first. Null if the output is complete. */
  mask: Int32Array | null = null;
  readonly #id: number;
  readonly #vocabulary: GrammarVocabulary;
  readonly #constraint: Constraint;
  readonly #verdict: Verdict;
  readonly #servers: GrammarServers;
  readonly #accepted: number[] = [];
  #process: GrammarProcess | null = null;
  #isClosed = false;

  constructor(
    id: number,
    vocabulary: GrammarVocabulary,
    constraint: Constraint,
    verdict: Verdict,
    servers: GrammarServers,
  ) {
    this.#id = id;
    this.#vocabulary = vocabulary;
    this.#constraint = constraint;
    this.#verdict = verdict;
    this.#servers = servers;
  }

  async start(): Promise<void> {
    await this.#persist(() => this.#open());
  }

  /** Adds the sampled token and updates `mask`. @returns false if the grammar does not allow the token */
  async accept(token: number): Promise<boolean> {
    if (this.mask === null) return false;
    const state = (await this.#ask({ kind: 'step', session: this.#id, token })) as StateReply;
    if (state.isAccepted) this.#accepted.push(token);
    this.#take(state);
    return state.isAccepted;
  }

  /** Whether the output may end here. */
  get mayEnd(): boolean {
    const { mask } = this;
    return mask === null || this.#vocabulary.stopTokenIds.some((id) => (mask[id >>> 5]! >>> (id & 31)) & 1);
  }

  close(): void {
    this.#isClosed = true;
    this.#leave();
  }

  #ask(request: GrammarRequest): Promise<unknown> {
    return this.#persist(async (isRetry) => {
      if (!this.#process?.isAlive) await this.#open();
      return this.#process!.call(request, { timeoutMs: stepTimeoutMs, alone: isRetry });
    });
  }

  /** Continues in a new process if another sequence ended this one; fails if this sequence did. */
  async #persist<Result>(ask: (isRetry: boolean) => Promise<Result>): Promise<Result> {
    let ownFailures = 0;
    for (let losses = 0; ; losses++) {
      try {
        return await ask(losses > 0);
      } catch (error) {
        if (this.#isClosed || losses === lossesMax) throw error;
        if (error instanceof IsolationLost && !error.isCulprit) continue;
        const isTooSlow = error instanceof IsolationLost && error.reason === 'time';
        // The system or other sequences may be the cause, so a new process gets one more attempt.
        if (isTooSlow || ++ownFailures > 1) throw failure(isTooSlow);
      }
    }
  }

  async #open(): Promise<void> {
    const { isSlow } = this.#verdict;
    const process = this.#servers.process(isSlow ? 'slow' : 'quick');
    await loadVocabulary(process, this.#vocabulary);
    this.#process = process;
    const request = { session: this.#id, vocabulary: this.#vocabulary.key, constraint: this.#constraint };
    const options = { timeoutMs: openTimeoutMs, alone: true };
    this.mask = null;
    this.#take((await process.call({ kind: 'open', ...request, accepted: this.#accepted }, options)) as StateReply);
  }

  #take({ isComplete, mask, ms }: StateReply): void {
    if (isComplete) this.mask = null;
    else if (mask) this.mask = this.#bounded(mask);
    if (ms < slowStepMs || this.#verdict.isSlow) return;
    this.#verdict.isSlow = true;
    this.#leave(); // continues in the other process
  }

  #leave(): void {
    const process = this.#process;
    this.#process = null;
    if (process?.isAlive) {
      process.call({ kind: 'close', session: this.#id }, { timeoutMs: stepTimeoutMs }).catch(() => {});
    }
  }

  /** Clears the bits that the library sets beyond the vocabulary. */
  #bounded(mask: Int32Array): Int32Array {
    const beyond = this.#vocabulary.tokens.length & 31;
    if (beyond !== 0) mask[mask.length - 1]! &= 2 ** beyond - 1;
    return mask;
  }
}

function failure(isTooSlow: boolean): Failure {
  const why = isTooSlow
    ? `takes longer than ${stepTimeoutMs} ms for a token`
    : 'exhausts or crashes the grammar library';
  return invalidInput(`The grammar of this request ${why}. Make it smaller or less ambiguous.`);
}
