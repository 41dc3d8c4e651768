/** Why a request was not fulfilled. `contract/errors.ts` has the response for each kind. */
export type FailureKind =
  /** A value has the right shape but is invalid. */
  | 'invalidInput'
  /** The input is valid, but cannot be stored or computed. */
  | 'unacceptable'
  | 'forbidden'
  | 'notFound'
  /** Something existing, or something computed, differs. */
  | 'conflict'
  | 'tooLarge'
  /** The server is busy: the same request may succeed later. */
  | 'busy'
  /** The client no longer waits for the result. */
  | 'canceled'
  /** A store does not respond at the moment. */
  | 'unavailable'
  | 'noSpace';

/** An expected failure, with a message for the client. Any other exception is a bug. It is independent of HTTP. */
export class Failure extends Error {
  readonly kind: FailureKind;
  /** Fields for programs in addition to the message, such as `deleted_at`. */
  readonly extra: Record<string, unknown>;

  constructor(kind: FailureKind, message: string, extra: Record<string, unknown> = {}, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
    this.extra = extra;
  }
}

export function invalidInput(message: string, extra: Record<string, unknown> = {}): Failure {
  return new Failure('invalidInput', message, extra);
}

export function unacceptable(message: string, cause?: unknown): Failure {
  return new Failure('unacceptable', message, {}, { cause });
}

export function forbidden(): Failure {
  return new Failure('forbidden', 'Forbidden');
}

export function notFound(message: string, extra: Record<string, unknown> = {}): Failure {
  return new Failure('notFound', message, extra);
}

export function conflict(message: string): Failure {
  return new Failure('conflict', message);
}

export function tooLarge(message: string): Failure {
  return new Failure('tooLarge', message);
}

export function busy(message: string, cause?: unknown): Failure {
  return new Failure('busy', message, {}, { cause });
}

/** The request was canceled. */
export class Canceled extends Failure {
  constructor(message: string) {
    super('canceled', message);
  }
}

/** One finding about a value, in the shape that FastAPI made common; `loc` is the path to it. */
export type ValidationDetail = { type: string; loc: (string | number)[]; msg: string; input?: unknown; ctx?: unknown };

/** A value does not match its schema, or a field's value is invalid. */
export class ValidationError extends Failure {
  readonly detail: ValidationDetail[];

  constructor(detail: ValidationDetail[]) {
    super('unacceptable', detail.map((each) => `${each.loc.join('.')}: ${each.msg}`).join('; '));
    this.detail = detail;
  }

  /** The same findings, if the validated value is only a part of what the client sent. */
  below(...path: (string | number)[]): ValidationError {
    return new ValidationError(this.detail.map((each) => ({ ...each, loc: [...path, ...each.loc] })));
  }
}

/** A field of the body has the right shape but an invalid value. */
export function invalidField(field: string, msg: string): ValidationError {
  return new ValidationError([{ type: 'value_error', loc: ['body', field], msg }]);
}
