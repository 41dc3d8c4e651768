import { createHash } from 'node:crypto';
import { ByteBoundedMap } from '../../util/byte-bounded-map.ts';
import { BadRequest } from '../../chat/bad-request.ts';
import { IsolationLost } from '../../util/workers/isolated-process.ts';
import { type PoolOptions, ProcessPool } from '../../util/workers/process-pool.ts';
import type { Tokenizer } from '../../chat/tokenizer/tokenizer.ts';
import type { Constraint } from '../../chat/structured/constraint.ts';
import type { GrammarReply, GrammarRequest, GrammarVocabulary } from './grammar-requests.ts';
import { GrammarServers } from './grammar-servers.ts';
import { GrammarSession } from './grammar-session.ts';
import { grammarProcessFile, teach } from './teach.ts';

const compileTimeoutMs = 5_000;
const trialLimits = { heapMb: 256, memoryMb: 512, niceness: 10 };
/** A grammar that takes more processor time is served apart from the others. */
const slowCompileMs = 250;
/** Time and memory depend on what else the machine does: such a refusal is not final. */
const refusalMs = 60_000;
const verdictBytesMax = 1 << 20;
const reasonLengthMax = 500;

/** What is known of a constraint: whether it can be held to, and if not why, and until when that counts. */
export type Verdict = { refusal: string | null; until: number; isSlow: boolean };

type Asker = { tenant: readonly [string, ...string[]]; signal: AbortSignal };

/** A model's vocabulary for grammars. Special tokens are no text to a grammar, except those of `spokenIds`. */
export function grammarVocabulary(
  tokenizer: Tokenizer,
  stopTokenIds: readonly number[],
  spokenIds: readonly number[] = [],
): GrammarVocabulary {
  const spoken = new Set(spokenIds);
  const tokens = Array.from({ length: tokenizer.vocabularySize }, (_, id) =>
    tokenizer.specialIds.has(id) && !spoken.has(id) ? '' : (tokenizer.tokenOf(id) ?? ''),
  );
  const hash = createHash('sha256').update(JSON.stringify([tokens, tokenizer.coding, stopTokenIds]));
  return { key: hash.digest('hex'), tokens, coding: tokenizer.coding, stopTokenIds };
}

/**
 * Grammars for constrained sequences, all in processes of their own. A new grammar is first parsed and compiled on trial,
 * in a process that ends when the grammar takes too long, exhausts the memory or crashes it. Only what passed reaches the
 * processes that serve masks; should one of those fail all the same, another takes over its sequences by replaying their
 * tokens.
 */
export class Grammars {
  readonly #trials: ProcessPool<GrammarRequest, GrammarReply>;
  readonly #servers = new GrammarServers();
  readonly #verdicts = new ByteBoundedMap<string, Verdict>(
    verdictBytesMax,
    ({ refusal }) => 200 + 2 * (refusal?.length ?? 0),
  );
  readonly #checks = new Map<string, Promise<Verdict>>();
  readonly #compileTimeoutMs: number;
  #lastSession = 0;

  constructor(options: PoolOptions & { compileTimeoutMs?: number }) {
    this.#trials = new ProcessPool(grammarProcessFile, trialLimits, options);
    this.#compileTimeoutMs = options.compileTimeoutMs ?? compileTimeoutMs;
  }

  /** Says before anything is generated whether a constraint can be held to. @throws BadRequest, Overloaded */
  async check(vocabulary: GrammarVocabulary, constraint: Constraint, param: string, asker: Asker): Promise<void> {
    const key = keyOf(vocabulary, constraint);
    const { refusal } = this.#known(key) ?? (await this.#shared(key, vocabulary, constraint, asker));
    if (refusal !== null) throw new BadRequest(`${param} cannot be used: ${refusal}.`, param);
  }

  /** Begins a sequence under a constraint that passed the check. */
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

  /** Equal constraints of one owner are tried once; another owner must not wait for this one's turn. */
  #shared(key: string, vocabulary: GrammarVocabulary, constraint: Constraint, asker: Asker): Promise<Verdict> {
    const shared = JSON.stringify([key, asker.tenant]);
    const under = this.#checks.get(shared);
    // Whoever shares it may stay when the first asker leaves.
    if (under) return under.catch((error) => this.#retry(error, key, vocabulary, constraint, asker));
    const check = this.#trial(key, vocabulary, constraint, asker).finally(() => this.#checks.delete(shared));
    this.#checks.set(shared, check);
    return check;
  }

  #retry(error: Error, key: string, vocabulary: GrammarVocabulary, constraint: Constraint, asker: Asker) {
    if (error.name !== 'AbortError') throw error;
    asker.signal.throwIfAborted();
    return this.#shared(key, vocabulary, constraint, asker);
  }

  async #trial(
    key: string,
    vocabulary: GrammarVocabulary,
    constraint: Constraint,
    { tenant, signal }: Asker,
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
          await teach(process, vocabulary);
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
