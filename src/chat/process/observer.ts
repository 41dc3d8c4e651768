import type { GenerationEvent } from '../types.ts';

/** Observes one request to a model as it happens, whether its reader is quick or slow. */
export type GenerationObserver = {
  accepted(promptTokens: number): void;
  event(event: GenerationEvent): void;
  ended(error: Error | null): void;
};

/** How busy the process of a model is. */
export type ModelLoad = {
  /** Requests whose sequences are stepped, and those that wait for their turn. */
  running: number;
  waiting: number;
  /** What the keys and values of all sequences take, those of prompts kept for later requests included. */
  cacheBytes: number;
  cacheBytesMax: number;
  /** Since the model was opened: tokens computed on a guess, and those of them that were generated. */
  guesses: { guessed: number; right: number };
  /** The memory of the process, without the weights that it maps from files and does not use. */
  residentBytes: number;
};
