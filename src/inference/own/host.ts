import { AnswerSink } from '../../chat/output/answer-sink.ts';
import { reasons } from '../../chat/output/tool-format.ts';
import { embeddedIds } from '../../chat/plan/embedded-ids.ts';
import { planOf, toolsOf } from '../../chat/plan/plan.ts';
import { answerRole, echoedText, promptOf } from '../../chat/plan/prompt.ts';
import { echoedPrompt, textPromptOf } from '../../chat/plan/text-prompt.ts';
import { AnswerChecks, type CheckedAnswer } from '../../chat/structured/checks/answer-checks.ts';
import { grammarVocabulary } from '../../chat/structured/grammar-vocabulary.ts';
import { UntrustedTemplates } from '../../chat/templates/untrusted-templates.ts';
import { openServedText, type ServedText } from '../../chat/tokenizer/served-text.ts';
import {
  type Accepted,
  type ChatLimits,
  type Embeddings,
  type EmbeddingsHostRequest,
  type GenerationEvent,
  type HostRequest,
  isChat,
  type TextHalfAnswer,
  type TextHalfRequest,
} from '../../chat/types.ts';
import type { AdapterId } from '../../engine/adapter-id.ts';
import type { AdapterFiles } from '../../engine/adapters/adapter-files.ts';
import { Engine, type RunningGeneration } from '../../engine/engine.ts';
import type { GrammarVocabulary } from '../../engine/grammars/grammar-requests.ts';
import type { Arithmetic } from '../../engine/graphs/grouped-linear.ts';
import type { MemoryPlan } from '../../engine/memory/plan-memory.ts';
import type { ModelLoad } from '../observer.ts';
import { preparations } from './preparations.ts';
import { answerTextHalf } from './tokenization.ts';

export type HostOptions = {
  path: string;
  cacheDirectory: string;
  limits: ChatLimits;
  /** How much memory the model may take. */
  memory: Pick<MemoryPlan, 'contextMax' | 'cacheBytesMax'>;
  /** Called when the model fails without having been closed. */
  onLost?: (cause: Error) => void;
};

/** A request that was accepted and has not started. */
export type Prepared = {
  accepted: Accepted;
  start(reader: { emit(event: GenerationEvent): void; end(error: Error | null): void }): RunningGeneration;
};

/** Quantized weights are multiplied differently for many rows than for few, which depends on other requests. */
export function arithmeticOf({ batchInvariant, quantizedArithmetic }: ChatLimits): Arithmetic {
  return batchInvariant ? 'widened' : quantizedArithmetic;
}

/** One model for chats: its text half (templates, tokenizer, parsers) and its engine. */
export class Host {
  readonly #engine: Engine;
  readonly #text: ServedText;
  readonly #limits: ChatLimits;
  readonly #templates: UntrustedTemplates;
  readonly #checks: AnswerChecks;
  readonly #vocabularies = new Map<string, GrammarVocabulary>();

  constructor(engine: Engine, text: ServedText, limits: ChatLimits) {
    this.#engine = engine;
    this.#text = text;
    this.#limits = limits;
    this.#templates = new UntrustedTemplates(preparations(limits));
    this.#checks = new AnswerChecks(preparations(limits));
  }

  /** @throws if the files are invalid */
  static async open({ path, cacheDirectory, limits, memory, onLost }: HostOptions): Promise<Host> {
    const { contextMax, cacheBytesMax } = memory;
    const load = {
      cacheDirectory,
      contextMax,
      cacheBytesMax,
      arithmetic: arithmeticOf(limits),
      ...(onLost === undefined ? {} : { onLost }),
    };
    const { runningMax, waitingMax, batchInvariant, guessMax, adapters } = limits;
    const trials = preparations(limits);
    const opening = Engine.open(path, load, { runningMax, waitingMax, batchInvariant, guessMax, adapters, trials });
    const reading = openServedText(path);
    const [engine, text] = await Promise.allSettled([opening, reading]);
    if (text.status === 'fulfilled') return new Host(await opening, text.value, limits);
    if (engine.status === 'fulfilled') await engine.value.close();
    throw text.reason;
  }

  /**
   * Makes all checks, so that a later failure is not the client's mistake.
   * @throws Failure
   */
  async prepare(request: HostRequest, signal: AbortSignal): Promise<Prepared> {
    const { body, tenant } = request;
    this.#engine.checkRoom(tenant);
    toolsOf(body);
    const { contextMax, vocabSize } = this.#engine;
    const prompt = isChat(body)
      ? await promptOf(body, this.#text, contextMax, (template, chat) =>
          this.#templates.render(template, chat, { tenant, signal }),
        )
      : await textPromptOf(body, { text: this.#text, contextMax, vocabSize });
    const plan = planOf(request, prompt, {
      contextMax,
      vocabSize,
      text: this.#text,
      limits: this.#limits,
      vocabulary: (writtenIds) => this.#vocabulary(writtenIds),
    });
    const start = await this.#engine.prepare(plan.request, signal);
    const { promptIds } = plan.request;
    const { schemas, choices, promptLogprobs } = plan;
    const check =
      schemas === null ? null : (answer: CheckedAnswer) => this.#checks.fault(schemas, answer, { tenant, signal });
    const { eosIds } = this.#text;
    return {
      accepted: {
        promptIds,
        settings: plan.settings,
        role: isChat(body) ? answerRole(body) : 'assistant',
        echoed: isChat(body) ? echoedText(body) : echoedPrompt(body, prompt, this.#text),
        reasons: reasons(prompt.template),
        fingerprint: this.#engine.isApproximate ? 'int8-activations' : null,
      },
      start: (reader) => start(new AnswerSink({ promptIds, choices, promptLogprobs, check, eosIds, ...reader })),
    };
  }

  /** Embeds all texts, or none. @throws Failure */
  async embed(request: EmbeddingsHostRequest, signal: AbortSignal): Promise<Embeddings> {
    const { tenant, adapter, priority, pooling, normalizes } = request;
    const texts = await embeddedIds(request, this.#text, this.#engine);
    const stop = new AbortController();
    const stopping = AbortSignal.any([signal, stop.signal]);
    const embedding = texts.map((ids) =>
      this.#engine.embed({ ids, pooling, normalizes, adapter, priority, tenant }, stopping),
    );
    try {
      return { vectors: await Promise.all(embedding), tokens: texts.map((ids) => ids.length) };
    } catch (error) {
      stop.abort();
      await Promise.allSettled(embedding);
      throw error;
    }
  }

  /** @throws Failure */
  textHalf(request: TextHalfRequest, signal: AbortSignal): Promise<TextHalfAnswer> {
    const { tenant } = request;
    return answerTextHalf(request, {
      text: this.#text,
      contextMax: this.#engine.contextMax,
      renderUntrusted: (template, chat) => this.#templates.render(template, chat, { tenant, signal }),
    });
  }

  loadAdapter(files: AdapterFiles): Promise<void> {
    return this.#engine.loadAdapter(files);
  }

  unloadAdapter(id: AdapterId): Promise<void> {
    return this.#engine.unloadAdapter(id);
  }

  /** Changes how much memory caches and adapters may take. @returns the new limit: at least what is in use */
  async limitCaches(bytesMax: number, { forgetsPrompts }: { forgetsPrompts: boolean }): Promise<number> {
    if (forgetsPrompts) await this.#engine.forgetPrompts();
    return this.#engine.limitMemory(bytesMax);
  }

  async load(): Promise<ModelLoad> {
    return { ...(await this.#engine.load()), residentBytes: process.memoryUsage.rss() };
  }

  async close(): Promise<void> {
    await Promise.all([this.#templates.close(), this.#checks.close(), this.#engine.close()]);
  }

  #vocabulary(writtenIds: readonly number[]): GrammarVocabulary {
    const key = writtenIds.join();
    const known = this.#vocabularies.get(key);
    const vocabulary = known ?? grammarVocabulary(this.#text.tokenizer, this.#text.eosIds, writtenIds);
    this.#vocabularies.set(key, vocabulary);
    return vocabulary;
  }
}
