import { ApiError, InvalidRequestError } from '../contract/errors.ts';
import type { ValidationDetail } from '../util/failures.ts';

/** The body of an error as vLLM sends it, which the SDKs turn into an exception. */
export function openAiErrorBody(error: ApiError): Record<string, unknown> {
  if (error instanceof InvalidRequestError) return platformErrorBody(asPlatformError(error));
  const { status: code, message, extra } = error;
  return { error: { message, type: types[code] ?? 'BadRequestError', param: extra.param ?? null, code } };
}

/**
 * The same with FastAPI's `detail` beside it, for a body of the wrong shape: only place, message and type. The SDKs
 * read `error`, other clients `detail`.
 */
export function vllmErrorBody(error: ApiError): Record<string, unknown> {
  const body = openAiErrorBody(error);
  return error instanceof InvalidRequestError ? { detail: error.detail.map(finding), ...body } : body;
}

/** The body of an error for clients that read FastAPI's `detail`; with `error` beside it for a body of the wrong shape. */
export function detailErrorBody(error: ApiError): Record<string, unknown> {
  if (!(error instanceof InvalidRequestError)) return { detail: error.message, ...error.extra };
  return { detail: error.detail, ...platformErrorBody(asPlatformError(error)) };
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

/** An error as OpenAI's own API sends it: 400 instead of 422, with the name of the first invalid field. */
export function asPlatformError(error: ApiError): ApiError {
  if (!(error instanceof InvalidRequestError)) return error.status === 422 ? withStatus(error, 400) : error;
  const [first] = error.detail;
  if (first?.type === 'json_invalid') return new ApiError(400, `The body is not JSON: ${error.message}`, codes.invalid);
  if (first?.type === 'model_attributes_type') return new ApiError(400, notSentAsJson, codes.invalid);
  const field = first?.loc.slice(1).join('.') || fieldOfRule(first?.msg ?? '');
  const more = error.detail.length > 1 ? ` (and ${error.detail.length - 1} more)` : '';
  const reason = first?.msg.replace(/^Value error, /, '') ?? 'the request is invalid';
  return new ApiError(400, field ? `Invalid '${field}': ${reason}${more}` : `Invalid body: ${reason}${more}`, {
    param: field || null,
    ...(first?.type === 'missing' ? codes.missing : codes.invalid),
  });
}

/** A rule about several fields reports on the whole body what the first of them must be. */
function fieldOfRule(message: string): string {
  return /^Value error, ([a-z]+(?:_[a-z]+)+) /.exec(message)?.[1] ?? '';
}

const notSentAsJson = 'The body is not JSON: send it with the header Content-Type: application/json.';

const codes = { missing: { code: 'missing_required_parameter' }, invalid: { code: 'invalid_value' } };

/** The body of an error in OpenAI's own API. */
export function platformErrorBody({ status, message, extra }: ApiError): Record<string, unknown> {
  const code = extra.code ?? (status === 401 ? 'invalid_api_key' : null);
  return { error: { message, type: platformType(status), param: extra.param ?? null, code } };
}

function platformType(status: number): string {
  if (status === 429) return 'rate_limit_error';
  if (status === 403) return 'permission_error';
  return status < 500 ? 'invalid_request_error' : 'server_error';
}

function withStatus({ message, extra, cause }: ApiError, status: number): ApiError {
  return new ApiError(status, message, extra, { cause });
}
