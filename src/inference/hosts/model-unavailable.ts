import { Failure } from '../../util/failures.ts';

/**
 * A model that cannot be opened, or that was closed in the meantime. `unsupported`: it can never be opened. The message goes to the
 * log too, since it quotes no request.
 */
export function modelUnavailable(
  message: string,
  { kind = 'unavailable', cause }: { kind?: 'unavailable' | 'unsupported'; cause?: unknown } = {},
): Failure {
  return new Failure(kind, message, {}, { cause, rule: message });
}
