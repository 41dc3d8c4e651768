import type { HostOptions } from './host.ts';
import type { Accepted, GenerateRequest, GenerationEvent } from './types.ts';

/** What the thread of a host is started with. */
export type HostStart = HostOptions;

export type Asked =
  | { type: 'generate'; id: number; request: GenerateRequest }
  | { type: 'cancel'; id: number }
  | { type: 'close' };

export type Told =
  | { type: 'opened' }
  | { type: 'failedToOpen'; error: WireError }
  | { type: 'accepted'; id: number; accepted: Accepted }
  /** Of one or more steps: what is told together arrives together. */
  | { type: 'events'; events: [id: number, event: GenerationEvent][] }
  | { type: 'ended'; id: number; error: WireError | null }
  | { type: 'closed' };

/** Of an error, what arrives on another thread: not its class. */
export type WireError = { name: string; message: string; param?: string | null };

export function toWireError(error: Error & { param?: string | null }): WireError {
  return { name: error.name, message: error.message, param: error.param ?? null };
}
