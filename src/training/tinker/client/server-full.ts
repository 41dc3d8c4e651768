import { TinkerFailure } from './http.ts';

/** A server has no place for another model until one is unloaded. */
export class ServerFull extends TinkerFailure {
  constructor(host: string, cause: TinkerFailure) {
    super('busy', `The Tinker server ${host} has no place for another model. ${cause.message}`, cause.status, cause);
  }
}

/** The protocol has no error for it. SkyRL fails with "Maximum number of LoRA adapters (8) reached"; others may answer 429. */
const fullWords = /\b(maximum number|too many|no (free|available)|limit)\b.*\b(adapters?|loras?|models?|slots?)\b/i;

/** What a refusal to create a model means. */
export function readRefusal(error: unknown, host: string): unknown {
  if (!(error instanceof TinkerFailure)) return error;
  const isFull = error.status === 429 || fullWords.test(error.message);
  return isFull ? new ServerFull(host, error) : error;
}
