import type { FastifyBaseLogger } from 'fastify';
import { ApiError, toApiError as answerFor } from '../../contract/errors.ts';
import { BadRequest } from '../../engine/bad-request.ts';
import { ModelUnavailable, Overloaded } from '../../engine/inference/types.ts';

/** What a client is told of a generation that was refused or failed. Causes of our own go to the log alone. */
export function toApiError(error: Error, log: FastifyBaseLogger): ApiError {
  const known = answerFor(error);
  if (known !== null) return known;
  if (error instanceof BadRequest) return new ApiError(400, error.message, { param: error.param });
  if (error instanceof Overloaded) return new ApiError(429, error.message);
  if (error instanceof ModelUnavailable) {
    log.error({ err: error }, 'a model is not available');
    return new ApiError(error.isUnsupported ? 501 : 503, error.message);
  }
  if (error.name !== 'AbortError' && !/hung up/.test(error.message)) log.error({ err: error }, 'a generation failed');
  return new ApiError(500, 'The generation failed. The reason is in the log of the server.');
}
