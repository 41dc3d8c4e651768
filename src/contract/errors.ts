import { Failure, type FailureKind, ValidationError } from '../util/failures.ts';

/**
 * An error as the client sees it. Handlers and `http/` throw these; code below them throws a `Failure`, whose status is
 * in the table here.
 */
export class ApiError extends Error {
  readonly status: number;
  /** Further keys besides `reason`, such as `deleted_at`. */
  readonly extra: Record<string, unknown>;

  constructor(status: number, reason: string, extra: Record<string, unknown> = {}, options?: ErrorOptions) {
    super(reason, options);
    this.status = status;
    this.extra = extra;
  }

  get body(): Record<string, unknown> {
    return { reason: this.message, ...this.extra };
  }
}

/** Findings about a body, a path or a query. */
export class InvalidRequestError extends ApiError {
  readonly detail: ValidationError['detail'];

  constructor({ detail, message }: ValidationError) {
    super(statuses.unacceptable, message);
    this.detail = detail;
  }

  override get body(): Record<string, unknown> {
    return { detail: this.detail };
  }
}

/** The response for each kind of failure. */
const statuses: Record<FailureKind, number> = {
  invalidInput: 400,
  forbidden: 403,
  notFound: 404,
  conflict: 409,
  tooLarge: 413,
  unacceptable: 422,
  busy: 429,
  canceled: 499,
  unsupported: 501,
  unavailable: 503,
  noSpace: 507,
};

/** An expected failure as its client sees it; null for a defect. */
export function toApiError(error: unknown): ApiError | null {
  if (error instanceof ApiError) return error;
  if (error instanceof ValidationError) return new InvalidRequestError(error);
  if (!(error instanceof Failure)) return null;
  return new ApiError(statuses[error.kind], error.message, error.extra, { cause: error.cause });
}

export function badRequest(reason: string): ApiError {
  return new ApiError(400, reason);
}

export function unauthorized(reason: string): ApiError {
  return new ApiError(401, reason);
}

export function notFound(reason: string, extra: Record<string, unknown> = {}): ApiError {
  return new ApiError(404, reason, extra);
}

export function conflict(reason: string): ApiError {
  return new ApiError(409, reason);
}

export function tooLarge(reason = 'Request too large', extra: Record<string, unknown> = {}): ApiError {
  return new ApiError(413, reason, extra);
}

export function unprocessable(reason: string): ApiError {
  return new ApiError(422, reason);
}
