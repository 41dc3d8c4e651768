import { AnswerSink } from '../../chat/output/answer-sink.ts';
import { reasons } from '../../chat/output/tool-format.ts';
import { embeddedIds } from '../../chat/plan/embedded-ids.ts';
import { planOf, toolsOf } from '../../chat/plan/plan.ts';
import { answerRole, echoedText, promptOf } from '../../chat/plan/prompt.ts';
import { echoedPrompt, textPromptOf } from '../../chat/plan/text-prompt.ts';
import { AnswerChecks, type AnswerSchemas, type CheckedAnswer } from '../../chat/structured/checks/answer-checks.ts';
import { grammarVocabulary } from '../../chat/structured/grammar-vocabulary.ts';
import { hasMedia } from '../../chat/templates/content-kinds.ts';
import { UntrustedTemplates } from '../../chat/templates/untrusted-templates.ts';
import { openServedText, type ServedText } from '../../chat/tokenizer/served-text.ts';
import { textFilesOf } from '../../chat/tokenizer/text-files.ts';
import {
  type ChatLimits,
  type Embeddings,
  type EmbeddingsHostRequest,
  type HostRequest,
  isChat,
  type TextHalfAnswer,
  type TextHalfRequest,
} from '../../chat/types.ts';
import type { ChatRequest } from '../../contract/chat/request.ts';
import type { AdapterId } from '../../engine/adapter-id.ts';
import type { AdapterFiles } from '../../engine/adapters/adapter-files.ts';
import type { GrammarVocabulary } from '../../engine/grammars/grammar-requests.ts';
import { allOrNone } from '../../util/all-or-none.ts';
import { filesDigest } from '../../util/files-digest.ts';
import type { ModelLoad } from '../observer.ts';
import { openOrigin } from './answer-origin.ts';
import type { HostEngine, OpenedEngine } from './host-engine.ts';
import { preparations } from './preparations.ts';
import type { Prepared } from './prepared.ts';
import type { ServerText } from './server-text.ts';
import { answerTextHalf } from './tokenization.ts';

/**
 * One model for chats: its text half (templates, tokenizer, parsers) and its engine. Without a text half here, and for messages with
 * images, it uses that of the servers behind the engine.
 */
export class Host {
  readonly #engine: HostEngine;
  readonly #text: ServedText | null;
  readonly #limits: ChatLimits;
  readonly #templates: UntrustedTemplates;
  readonly #checks: AnswerChecks;
  readonly #vocabularies = new Map<string, GrammarVocabulary>();
  readonly #originOf: ReturnType<typeof openOrigin>;

  constructor(opened: OpenedEngine, text: HostText | null, limits: ChatLimits) {
    this.#engine = opened.engine;
    this.#text = text?.served ?? null;
    this.#originOf = openOrigin(opened, text?.digest ?? null);
    this.#limits = limits;
    this.#templates = new UntrustedTemplates(preparations(limits));
    this.#checks = new AnswerChecks(preparations(limits));
  }

  /** @param path the files of the text half; null if the servers behind the engine have it @throws if the files are invalid */
  static async open(path: string | null, limits: ChatLimits, opening: Promise<OpenedEngine>): Promise<Host> {
    const openingText = path === null ? null : openHostText(path);
    const [engine, text] = await Promise.allSettled([opening, openingText]);
    if (text.status === 'fulfilled') return new Host(await opening, text.value, limits);
    if (engine.status === 'fulfilled') await engine.value.engine.close();
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
    const serverText = this.#serverTextFor(isChat(body) ? body.messages : []);
    if (serverText) {
      const fault = (schemas: AnswerSchemas, answer: CheckedAnswer) =>
        this.#checks.fault(schemas, answer, { tenant, signal });
      const origin = await this.#originOf(request.adapter, null);
      const context = { limits: this.#limits, config: this.#text?.config ?? null, fault };
      const { accepted, start } = await serverText.generate(request, context, signal);
      return { accepted: { ...accepted, origin }, start };
    }
    return this.#prepareHere(request, this.#textHere(), signal);
  }

  async #prepareHere(request: HostRequest, text: ServedText, signal: AbortSignal): Promise<Prepared> {
    const { body, tenant } = request;
    const { contextMax, vocabSize } = this.#engine;
    const prompt = isChat(body)
      ? await promptOf(body, text, contextMax, {
          now: new Date(request.now),
          renderUntrusted: (template, chat) => this.#templates.render(template, chat, { tenant, signal }),
        })
      : await textPromptOf(body, { text, contextMax, vocabSize });
    const plan = planOf(request, prompt, {
      contextMax,
      vocabSize,
      text,
      limits: this.#limits,
      vocabulary: (writtenIds) => this.#vocabulary(text, writtenIds),
      drawsOwnSeeds: this.#engine.drawsOwnSeeds,
    });
    const origin = await this.#originOf(request.adapter, prompt.template);
    const draws = await this.#engine.drawKind(plan.request);
    const start = await this.#engine.prepare(plan.request, signal);
    const { promptIds } = plan.request;
    const { schemas, choices, promptLogprobs } = plan;
    const check =
      schemas === null ? null : (answer: CheckedAnswer) => this.#checks.fault(schemas, answer, { tenant, signal });
    const { eosIds } = text;
    return {
      accepted: {
        promptIds,
        settings: plan.settings,
        role: isChat(body) ? answerRole(body) : 'assistant',
        echoed: isChat(body) ? echoedText(body) : echoedPrompt(body, prompt, text),
        reasons: reasons(prompt.template),
        fingerprint: this.#engine.fingerprint,
        draws,
        origin,
      },
      start: (reader) => start(new AnswerSink({ promptIds, choices, draws, promptLogprobs, check, eosIds, ...reader })),
    };
  }

  /** Embeds all texts, or none. @throws Failure */
  async embed(request: EmbeddingsHostRequest, signal: AbortSignal): Promise<Embeddings> {
    const { tenant, adapter, priority, pooling, normalizes } = request;
    const serverText = this.#serverTextFor([]);
    if (serverText) return serverText.embed(request, signal);
    const texts = await embeddedIds(request, this.#textHere(), this.#engine);
    const asked = { pooling, normalizes, adapter, priority, tenant };
    const vectors = await allOrNone(texts, (ids, either) => this.#engine.embed({ ids, ...asked }, either), signal);
    return { vectors, tokens: texts.map((ids) => ids.length) };
  }

  /** @throws Failure */
  async textHalf(request: TextHalfRequest, signal: AbortSignal): Promise<TextHalfAnswer> {
    const { tenant } = request;
    const isConversation = request.kind === 'tokenize' && typeof request.body !== 'string';
    const serverText = this.#serverTextFor(isConversation ? (request.body as ChatRequest).messages : []);
    if (serverText) return serverText.textHalf(request, signal);
    return answerTextHalf(request, {
      text: this.#textHere(),
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

  /** @returns null if the text half is here */
  #serverTextFor(messages: readonly object[]): ServerText | null {
    const isForServers = this.#text === null || messages.some(hasMedia);
    return (isForServers && this.#engine.serverText) || null;
  }

  #textHere(): ServedText {
    if (this.#text === null) throw new Error('Neither this process nor its engine has the text half of the model.');
    return this.#text;
  }

  #vocabulary(text: ServedText, writtenIds: readonly number[]): GrammarVocabulary {
    const key = writtenIds.join();
    const known = this.#vocabularies.get(key);
    const vocabulary = known ?? grammarVocabulary(text.tokenizer, text.eosIds, writtenIds);
    this.#vocabularies.set(key, vocabulary);
    return vocabulary;
  }
}

type HostText = { served: ServedText; digest: string };

async function openHostText(path: string): Promise<HostText> {
  const [served, digest] = await Promise.all([openServedText(path), textFilesOf(path).then(filesDigest)]);
  return { served, digest };
}
