import type {
  AdapterReference,
  Embeddings,
  EmbeddingsRequest,
  ModelReference,
  TextGeneration,
  TextGenerationRequest,
  TextHalfRequest,
  Tokenized,
  TokenizerDescription,
} from '../chat/types.ts';
import type { Tenant } from '../engine/scheduling/generation-request.ts';
import type { ModelLoad } from './observer.ts';

/** Runs requests on served models. A model is opened by its first request, and stays open. */
export type Inference = {
  /**
   * Resolves when the request is accepted; its tokens follow.
   * @throws Failure
   */
  generate(model: ModelReference, request: TextGenerationRequest, signal: AbortSignal): Promise<TextGeneration>;
  /** Embeds texts. @throws Failure */
  embed(model: ModelReference, request: EmbeddingsRequest, signal: AbortSignal): Promise<Embeddings>;
  /** Tokenizes a conversation or a text. @throws Failure */
  tokenize(model: ModelReference, request: Omit<TokenizeRequest, 'kind'>, signal: AbortSignal): Promise<Tokenized>;
  /** Turns ids into text. @throws Failure */
  detokenize(
    model: ModelReference,
    request: { tenant: Tenant; ids: number[] },
    signal: AbortSignal,
  ): Promise<Tokenized>;
  /** @throws Failure */
  describeTokenizer(model: ModelReference, tenant: Tenant, signal: AbortSignal): Promise<TokenizerDescription>;
  /**
   * Loads an adapter and its base model before the first request. Optional: a request loads what it needs.
   * @throws Failure
   */
  loadAdapter(model: AdapterModel): Promise<void>;
  /** Resolves when the adapter is unloaded, after all requests that use it have ended. */
  unloadAdapter(model: AdapterModel): Promise<void>;
  /**
   * Each call of the function frees more memory: first what others of the budget do not need now, then open models return caches
   * that they do not need now, then unused models are closed, the least recently used first. It resolves to false if there
   * is nothing left to free.
   */
  roomMaker(): () => Promise<boolean>;
  /** How busy the open models are, by the ids of their base models; without those that do not respond in time. */
  load(timeoutMs: number): Promise<Map<string, ModelLoad>>;
  close(): Promise<void>;
};

type TokenizeRequest = Extract<TextHalfRequest, { kind: 'tokenize' }>;

/** An adapter over its base model, whose id this is. */
export type AdapterModel = ModelReference & { adapter: AdapterReference };
