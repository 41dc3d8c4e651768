/** Why something that was asked for was not done. What clients are answered for each is in `contract/errors.ts`. */
export type FailureKind =
  /** A value that was given has the right shape, but cannot be meant. */
  | 'invalidInput'
  /** What was given is understood, but cannot be stored or computed. */
  | 'unacceptable'
  | 'forbidden'
  | 'notFound'
  /** Something is there, or was computed, that differs. */
  | 'conflict'
  | 'tooLarge'
  /** Too much is under way: the same may succeed later. */
  | 'busy'
  /** Whoever asked no longer waits for it. */
  | 'canceled'
  /** A store does not answer at the moment. */
  | 'unavailable'
  | 'noSpace';

/**
 * An expected failure, whose message is for whoever asked. Anything else that is thrown is a defect.
 * It knows nothing of HTTP.
 */
export class Failure extends Error {
  readonly kind: FailureKind;
  /** What a program can make use of beside the message, such as `deleted_at`. */
  readonly extra: Record<string, unknown>;

  constructor(kind: FailureKind, message: string, extra: Record<string, unknown> = {}, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
    this.extra = extra;
  }
}

export function invalidInput(message: string): Failure {
  return new Failure('invalidInput', message);
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

/** What was asked for is no longer wanted. */
export class Canceled extends Failure {
  constructor(message: string) {
    super('canceled', message);
  }
}

/** One finding about a value, in the shape FastAPI made common; `loc` is the way to it. */
export type ValidationDetail = { type: string; loc: (string | number)[]; msg: string; input?: unknown; ctx?: unknown };

/** A value does not have the shape, or a field not a value, that its schema asks for. */
export class ValidationError extends Failure {
  readonly detail: ValidationDetail[];

  constructor(detail: ValidationDetail[]) {
    super('unacceptable', detail.map((each) => `${each.loc.join('.')}: ${each.msg}`).join('; '));
    this.detail = detail;
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
