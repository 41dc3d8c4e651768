import type { GenerationEvent } from '../chat/types.ts';
import type { VllmServerState } from './vllm/servers/vllm-servers.ts';

/** Observes one request to a model as it happens, whether its reader is quick or slow. */
export type GenerationObserver = {
  accepted(promptTokens: number): void;
  event(event: GenerationEvent): void;
  ended(error: Error | null): void;
};

/** How busy the process of a model is. */
export type ModelLoad = {
  /** Requests that are running, and those that wait for their turn. */
  running: number;
  waiting: number;
  /** Memory of the keys and values of all sequences, including prompts kept for later requests. */
  cacheBytes: number;
  cacheBytesMax: number;
  /** Since the model was opened: guessed tokens that were computed, and those of them that were generated. */
  guesses: { guessed: number; right: number };
  /** The memory of the process, excluding memory-mapped weights that it does not use. */
  residentBytes: number;
  /** All vLLM servers as the process finds them, if they compute its tokens. */
  vllmServers?: VllmServerState[];
};
