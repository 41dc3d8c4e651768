import type { ModelConfig } from '../models/config.ts';
import type { OpenOptions, StepRequest, StepResult } from './types.ts';

/** What the thread of a model is started with. */
export type WorkerStart = { path: string; options: Omit<OpenOptions, 'onLost'> };

/** What it is asked, and answers in the same order. */
export type Asked = { id: number } & (
  | { type: 'step'; requests: StepRequest[] }
  | { type: 'fork'; from: number; to: number; length: number }
  | { type: 'release'; sequence: number }
  | { type: 'cacheBytes' }
  | { type: 'close' }
);

export type Answer =
  | { type: 'opened'; config: ModelConfig; contextMax: number }
  | { type: 'answered'; id: number; value: AnswerValue }
  | { type: 'failed'; id: number | null; error: WireError };

/** Of an error, what arrives on another thread: not its class. */
export type WireError = { name: string; message: string };

export type AnswerValue = StepResult[] | boolean | number | null;
