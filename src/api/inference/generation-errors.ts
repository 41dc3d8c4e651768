import type { FastifyBaseLogger } from 'fastify';
import { SchemaViolated } from '../../chat/structured/schema-violated.ts';
import { ApiError, toApiError as answerFor } from '../../contract/errors.ts';

/** The error that a client gets for a generation that was rejected or failed. Internal causes only go to the log. */
export function toApiError(error: Error, log: FastifyBaseLogger): ApiError {
  const known = answerFor(error);
  if (known !== null) {
    if (known.status > 500) log.error({ err: error }, 'a generation failed');
    return known;
  }
  if (error instanceof SchemaViolated) {
    log.error({ err: error }, 'an answer violates its schema');
    return new ApiError(500, error.message);
  }
  if (error.name !== 'AbortError' && !/hung up/.test(error.message)) log.error({ err: error }, 'a generation failed');
  return new ApiError(500, 'The generation failed. The reason is in the log of the server.');
}

/** The same, for a promise that rejects. @throws ApiError */
export function asApiError(log: FastifyBaseLogger): (error: Error) => never {
  return (error) => {
    throw toApiError(error, log);
  };
}
