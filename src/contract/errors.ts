/**
 * An expected failure, as its client sees it. `http/` turns it into a response; below, code throws one of these or
 * lets a defect become a 500.
 */
export class ApiError extends Error {
  readonly status: number;
  /** Keys beside `reason`, such as `deleted_at`. */
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

export function badRequest(reason: string): ApiError {
  return new ApiError(400, reason);
}

export function unauthorized(reason: string): ApiError {
  return new ApiError(401, reason);
}

export function forbidden(): ApiError {
  return new ApiError(403, 'Forbidden');
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

/** One finding of a request's validation, in the shape FastAPI made common. */
export type ValidationDetail = { type: string; loc: (string | number)[]; msg: string; input?: unknown; ctx?: unknown };

/** The body, path or query does not have the shape its contract asks for. */
export class ValidationError extends ApiError {
  readonly detail: ValidationDetail[];

  constructor(detail: ValidationDetail[]) {
    super(422, detail.map((each) => `${each.loc.join('.')}: ${each.msg}`).join('; '));
    this.detail = detail;
  }

  override get body(): Record<string, unknown> {
    return { detail: this.detail };
  }

  /** The same findings, where what was checked is only a part of what the client sent. */
  below(...path: (string | number)[]): ValidationError {
    return new ValidationError(this.detail.map((each) => ({ ...each, loc: [...path, ...each.loc] })));
  }
}

/** A field of the body has the right shape, but a value that cannot be meant. */
export function invalidField(field: string, msg: string): ValidationError {
  return new ValidationError([{ type: 'value_error', loc: ['body', field], msg }]);
}
