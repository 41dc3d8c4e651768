import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { invalidInput } from '../../util/failures.ts';
import { IsolationLost } from '../../util/workers/isolated-process.ts';
import { type PoolOptions, ProcessPool } from '../../util/workers/process-pool.ts';
import type { Constraint } from './constraint.ts';
import type { GrammarReply, GrammarRequest, GrammarVocabulary } from './grammar-requests.ts';
import { GrammarServers } from './grammar-servers.ts';
import type { Verdict } from './grammar-session.ts';
import { GrammarSession } from './grammar-session.ts';
import { grammarProcessFile, loadVocabulary } from './load-vocabulary.ts';

const compileTimeoutMs = 5_000;
const trialLimits = { heapMb: 256, memoryMb: 512, niceness: 10 };
/** A grammar that takes more processor time to compile is served separately from the others. */
const slowCompileMs = 250;
/** A rejection expires, because time and memory also depend on other processes. */
const refusalMs = 60_000;
const verdictBytesMax = 1 << 20;
const reasonLengthMax = 500;

/** `field` is the field of the request with the constraint. */
type Requester = { tenant: readonly [string, ...string[]]; signal: AbortSignal; field: string };

/**
 * Grammars of constrained sequences, in separate processes. A new grammar is first compiled in a trial process, which is
 * ended if the grammar takes too long, exhausts the memory or crashes it. Only accepted grammars reach the processes that
 * compute masks. If one of those fails, a new process replays the tokens of its sequences.
 */
export class Grammars {
  readonly #trials: ProcessPool<GrammarRequest, GrammarReply>;
  readonly #servers = new GrammarServers();
  readonly #verdicts = new LRUCache<string, Verdict>({
    maxSize: verdictBytesMax,
    sizeCalculation: ({ refusal }) => 200 + 2 * (refusal?.length ?? 0),
  });
  readonly #checks = new Map<string, Promise<Verdict>>();
  readonly #compileTimeoutMs: number;
  #lastSession = 0;

  constructor(options: PoolOptions & { compileTimeoutMs?: number }) {
    this.#trials = new ProcessPool(grammarProcessFile, trialLimits, options);
    this.#compileTimeoutMs = options.compileTimeoutMs ?? compileTimeoutMs;
  }

  /** Checks whether a constraint can be used. @throws Failure */
  async check(vocabulary: GrammarVocabulary, constraint: Constraint, requester: Requester): Promise<void> {
    const { field } = requester;
    const key = keyOf(vocabulary, constraint);
    const { refusal } = this.#known(key) ?? (await this.#shared(key, vocabulary, constraint, requester));
    if (refusal !== null) throw invalidInput(`${field} cannot be used: ${refusal}.`, { param: field });
  }

  /** Starts a sequence with a constraint that was checked. */
  async open(vocabulary: GrammarVocabulary, constraint: Constraint): Promise<GrammarSession> {
    const verdict = this.#known(keyOf(vocabulary, constraint)) ?? { refusal: null, until: 0, isSlow: false };
    const session = new GrammarSession(++this.#lastSession, vocabulary, constraint, verdict, this.#servers);
    await session.start();
    return session;
  }

  async close(): Promise<void> {
    await Promise.all([this.#trials.close(), this.#servers.close()]);
  }

  #known(key: string): Verdict | null {
    const verdict = this.#verdicts.get(key);
    return verdict && Date.now() < verdict.until ? verdict : null;
  }

  /** Equal constraints of one owner share a trial. Other owners do not wait for it. */
  #shared(key: string, vocabulary: GrammarVocabulary, constraint: Constraint, requester: Requester): Promise<Verdict> {
    const shared = JSON.stringify([key, requester.tenant]);
    const under = this.#checks.get(shared);
    // Others still need the result if the first requester disconnects.
    if (under) return under.catch((error) => this.#retry(error, key, vocabulary, constraint, requester));
    const check = this.#trial(key, vocabulary, constraint, requester).finally(() => this.#checks.delete(shared));
    this.#checks.set(shared, check);
    return check;
  }

  #retry(error: Error, key: string, vocabulary: GrammarVocabulary, constraint: Constraint, requester: Requester) {
    if (error.name !== 'AbortError') throw error;
    requester.signal.throwIfAborted();
    return this.#shared(key, vocabulary, constraint, requester);
  }

  async #trial(
    key: string,
    vocabulary: GrammarVocabulary,
    constraint: Constraint,
    { tenant, signal }: Requester,
  ): Promise<Verdict> {
    const options = { timeoutMs: this.#compileTimeoutMs, signal };
    return this.#trials.run(
      tenant,
      async (process) => {
        const known = this.#known(key);
        if (known) return known;
        let refusal: string | null = null;
        let until = Number.POSITIVE_INFINITY;
        let ms = 0;
        try {
          await process.call({ kind: 'parse', constraint }, options);
          await loadVocabulary(process, vocabulary);
          const request = { kind: 'compile', vocabulary: vocabulary.key, constraint } as const;
          ms = (await process.call(request, options)) as number;
        } catch (error) {
          if (signal.aborted || (error instanceof IsolationLost && error.reason === 'closed')) throw error;
          refusal = this.#reasonOf(error as Error);
          until = Date.now() + refusalMs;
        }
        const verdict = { refusal, until, isSlow: ms > slowCompileMs };
        this.#verdicts.set(key, verdict);
        return verdict;
      },
      signal,
    );
  }

  #reasonOf(error: Error): string {
    if (!(error instanceof IsolationLost)) return error.message.slice(0, reasonLengthMax);
    if (error.reason === 'time') return `it takes longer than ${this.#compileTimeoutMs} ms to prepare`;
    return `it needs more than ${trialLimits.memoryMb} MB of memory to prepare, or crashes the grammar library`;
  }
}

function keyOf(vocabulary: GrammarVocabulary, constraint: Constraint): string {
  return createHash('sha256')
    .update(JSON.stringify([vocabulary.key, constraint]))
    .digest('base64');
}
