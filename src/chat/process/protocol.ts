import type { Accepted, ChatGenerationRequest, GenerationEvent } from '../types.ts';
import type { HostOptions } from './host.ts';

/** The first message to the process of a model. */
export type HostStart = Pick<HostOptions, 'path' | 'cacheDirectory' | 'limits'>;

/** Every later message. */
export type Asked =
  | { type: 'generate'; id: number; request: ChatGenerationRequest }
  | { type: 'cancel'; id: number }
  | { type: 'close' };

/** What the process tells, as many in one message as a step brought. */
export type Told =
  | { type: 'opened' }
  | { type: 'failedToOpen'; error: WireError }
  | { type: 'accepted'; id: number; accepted: Accepted }
  | { type: 'event'; id: number; event: GenerationEvent }
  | { type: 'ended'; id: number; error: WireError | null }
  /** An error that nobody caught, after which the process ends. Its message may quote a request, so it stays there. */
  | { type: 'failed'; reason: string };

/** Of an error, what arrives in another process: not its class. */
export type WireError = { name: string; message: string; param?: string | null };

export function toWireError(error: Error & { param?: string | null }): WireError {
  return { name: error.name, message: error.message, param: error.param ?? null };
}
