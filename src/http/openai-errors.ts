import { type ApiError, InvalidRequestError } from '../contract/errors.ts';
import type { ValidationDetail } from '../util/failures.ts';

/**
 * The body of an error for the clients of OpenAI's interface. A body of the wrong shape is told in FastAPI's `detail`,
 * with nothing but place, message and type; anything else in `error`, which the SDKs turn into an exception.
 */
export function openAiErrorBody(error: ApiError): Record<string, unknown> {
  if (error instanceof InvalidRequestError) return { detail: error.detail.map(finding) };
  const { status: code, message, extra } = error;
  return { error: { message, type: types[code] ?? 'BadRequestError', param: extra.param ?? null, code } };
}

const types: Record<number, string> = {
  401: 'authentication_error',
  403: 'PermissionDeniedError',
  404: 'NotFoundError',
  429: 'RateLimitError',
  500: 'InternalServerError',
  501: 'NotImplementedError',
  503: 'ServiceUnavailableError',
};

function finding({ loc, msg, type }: ValidationDetail) {
  if (loc.length === 1 && type === 'dict_type') {
    return {
      loc,
      msg: 'Input should be a valid dictionary or object to extract fields from',
      type: 'model_attributes_type',
    };
  }
  return { loc: loc.map(String), msg, type };
}
