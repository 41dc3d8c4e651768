import { createHash } from 'node:crypto';
import { BoundedMap } from '../../util/bounded-map.ts';
import { BadRequest } from '../bad-request.ts';
import { type Isolated, IsolationLost, isolatedThread } from '../isolation/isolated.ts';
import type { Tokenizer } from '../text/tokenizer.ts';
import type { Constraint } from './constraint.ts';
import type { GrammarRequest, GrammarVocabulary, StepReply } from './grammar-requests.ts';

const threadFile = new URL('./grammar-thread.ts', import.meta.url);
const compileTimeoutMs = 5_000;
const stepTimeoutMs = 10_000;
const passedMax = 1_024;

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
 * Grammars for constrained sequences, all in threads of their own. A new grammar is first parsed and compiled in a thread
 * for trials, which is thrown away when the grammar takes too long or exhausts the memory; one that is merely wrong costs
 * no more than the instance of the library that parsed it, since a failure poisons it. Only what passed reaches the thread
 * that serves masks; should that one fail all the same, a new one takes over its sequences by replaying their tokens.
 */
export class Grammars {
  readonly #vocabularies = new Map<string, GrammarVocabulary>();
  readonly #passed = new BoundedMap<string, true>(passedMax);
  readonly #compileTimeoutMs: number;
  #trying: Thread | null = null;
  #serving: Thread | null = null;
  #lastCheck: Promise<void> = Promise.resolve();
  #nextSession = 1;

  constructor(options: { compileTimeoutMs?: number } = {}) {
    this.#compileTimeoutMs = options.compileTimeoutMs ?? compileTimeoutMs;
  }

  /** Says before anything is generated whether a constraint can be held to. Throws a `BadRequest` where not. */
  async check(vocabulary: GrammarVocabulary, constraint: Constraint, param: string): Promise<void> {
    const key = JSON.stringify([vocabulary.key, constraint]);
    if (this.#passed.get(key)) return;
    this.#vocabularies.set(vocabulary.key, vocabulary);
    // One at a time: a grammar that kills the thread must not take another's check with it.
    const check = this.#lastCheck.then(() => this.#compileOnTrial(vocabulary, constraint, param));
    this.#lastCheck = check.catch(() => {});
    await check;
    this.#passed.set(key, true);
  }

  /** Begins a sequence under a constraint that passed the check. */
  async open(vocabulary: GrammarVocabulary, constraint: Constraint): Promise<GrammarSession> {
    this.#vocabularies.set(vocabulary.key, vocabulary);
    const session = new GrammarSession(this.#nextSession++, vocabulary, constraint, () => this.#servingThread());
    await session.start();
    return session;
  }

  close(): void {
    this.#trying?.close();
    this.#serving?.close();
  }

  async #compileOnTrial(vocabulary: GrammarVocabulary, constraint: Constraint, param: string): Promise<void> {
    if (!this.#trying?.isAlive) this.#trying = await this.#startedThread();
    await this.#trial(this.#trying, { kind: 'parse', constraint }, param);
    await this.#trying.know(vocabulary.key);
    await this.#trial(this.#trying, { kind: 'compile', vocabulary: vocabulary.key, constraint }, param);
  }

  async #trial(thread: Thread, request: GrammarRequest, param: string): Promise<void> {
    try {
      await thread.call(request, this.#compileTimeoutMs);
    } catch (error) {
      const tooLong = error instanceof IsolationLost && error.reason === 'time';
      const why = tooLong ? `it takes longer than ${this.#compileTimeoutMs} ms to prepare` : (error as Error).message;
      throw new BadRequest(`${param} cannot be used: ${why}.`, param);
    }
  }

  /** Started and ready, so that the time limit is the grammar's alone. */
  async #startedThread(): Promise<Thread> {
    const thread = new Thread(this.#vocabularies);
    await thread.call({ kind: 'parse', constraint: { kind: 'ebnf', grammar: 'root ::= "a"' } });
    return thread;
  }

  #servingThread(): Thread {
    if (!this.#serving?.isAlive) this.#serving = new Thread(this.#vocabularies);
    return this.#serving;
  }
}

/** One sequence under a grammar. Its calls must follow each other. */
export class GrammarSession {
  /** What may come next: bit `id` is set for allowed tokens, lowest bit first. Null once the output is complete. */
  mask: Int32Array | null = null;
  readonly #id: number;
  readonly #vocabulary: GrammarVocabulary;
  readonly #constraint: Constraint;
  readonly #servingThread: () => Thread;
  readonly #accepted: number[] = [];
  #thread: Thread | null = null;

  constructor(id: number, vocabulary: GrammarVocabulary, constraint: Constraint, servingThread: () => Thread) {
    this.#id = id;
    this.#vocabulary = vocabulary;
    this.#constraint = constraint;
    this.#servingThread = servingThread;
  }

  async start(): Promise<void> {
    const thread = this.#servingThread();
    this.#thread = thread;
    await thread.know(this.#vocabulary.key);
    const request = { session: this.#id, vocabulary: this.#vocabulary.key, constraint: this.#constraint };
    const mask = await thread.call({ kind: 'open', ...request, accepted: this.#accepted }, stepTimeoutMs);
    this.mask = this.#bounded(mask as Int32Array);
  }

  /** Takes the token that was sampled and brings `mask` up to date. False when the grammar does not allow it. */
  async accept(token: number): Promise<boolean> {
    if (this.mask === null) return false;
    const reply = await this.#ask({ kind: 'step', session: this.#id, token });
    const { accepted, terminated, mask } = reply as StepReply;
    if (accepted) this.#accepted.push(token);
    this.mask = terminated ? null : this.#bounded(mask!);
    return accepted;
  }

  /** Takes back the last tokens. */
  async rollback(tokens: number): Promise<void> {
    await this.#ask({ kind: 'rollback', session: this.#id, tokens });
    this.#accepted.length -= tokens;
    this.mask = this.#bounded((await this.#ask({ kind: 'mask', session: this.#id })) as Int32Array);
  }

  /** The text that must come next whatever is sampled; often empty. */
  async forcedText(): Promise<string> {
    if (this.mask === null) return '';
    return (await this.#ask({ kind: 'jump', session: this.#id })) as string;
  }

  /** True where the output may end here. */
  get mayEnd(): boolean {
    const { mask } = this;
    return mask === null || this.#vocabulary.stopTokenIds.some((id) => (mask[id >>> 5]! >>> (id & 31)) & 1);
  }

  close(): void {
    if (this.#thread?.isAlive) this.#thread.call({ kind: 'close', session: this.#id }).catch(() => {});
    this.#thread = null;
  }

  /** Asks the thread; if it is lost to another sequence's failure, moves to the one that serves now and asks again. */
  async #ask(request: GrammarRequest): Promise<unknown> {
    if (this.#thread?.isAlive) {
      try {
        return await this.#thread.call(request, stepTimeoutMs);
      } catch (error) {
        if (!(error instanceof IsolationLost)) throw error;
      }
    }
    await this.start();
    return this.#thread!.call(request, stepTimeoutMs);
  }

  /** The library sets the bits beyond the vocabulary. */
  #bounded(mask: Int32Array): Int32Array {
    const beyond = this.#vocabulary.tokens.length & 31;
    if (beyond !== 0) mask[mask.length - 1]! &= 2 ** beyond - 1;
    return mask;
  }
}

/** A grammar thread and the vocabularies it was told. A failure makes it useless, so it ends then; only parsing may fail. */
class Thread {
  readonly #isolated: Isolated = isolatedThread(threadFile, { heapMb: 512 });
  readonly #known = new Map<string, Promise<unknown>>();
  readonly #vocabularies: ReadonlyMap<string, GrammarVocabulary>;

  constructor(vocabularies: ReadonlyMap<string, GrammarVocabulary>) {
    this.#vocabularies = vocabularies;
  }

  get isAlive(): boolean {
    return this.#isolated.isAlive;
  }

  async know(key: string): Promise<void> {
    let known = this.#known.get(key);
    if (!known) {
      known = this.call({ kind: 'vocabulary', vocabulary: this.#vocabularies.get(key)! });
      this.#known.set(key, known);
    }
    await known;
  }

  async call(request: GrammarRequest, timeoutMs?: number): Promise<unknown> {
    try {
      return await this.#isolated.call(request, { timeoutMs });
    } catch (error) {
      if (request.kind !== 'parse') this.close();
      throw error;
    }
  }

  close(): void {
    this.#isolated.close();
  }
}
