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
  /** A store or a model does not respond at the moment. */
  | 'unavailable'
  /** The model is of a kind that is not run. */
  | 'unsupported'
  | 'noSpace';

/** An expected failure, with a message for the client. Any other exception is a bug. It is independent of HTTP. */
export class Failure extends Error {
  readonly kind: FailureKind;
  /** Fields for programs in addition to the message, such as `deleted_at`. */
  readonly extra: Record<string, unknown>;
  /** What is logged instead of the message, which may quote values: fields and rules. */
  readonly rule: string;

  constructor(
    kind: FailureKind,
    message: string,
    extra: Record<string, unknown> = {},
    { rule = kind, ...options }: ErrorOptions & { rule?: string } = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.extra = extra;
    this.rule = rule;
  }
}

const refusals: FailureKind[] = [
  'invalidInput',
  'unacceptable',
  'forbidden',
  'notFound',
  'conflict',
  'tooLarge',
  'unsupported',
];

/**
 * Whether a failure is about what was asked: it would fail again, and says nothing about other requests. Others come from a
 * store or a model that is away, busy or full, and so would whatever comes next.
 */
export function isRefusal(error: unknown): error is Failure {
  return error instanceof Failure && refusals.includes(error.kind);
}

export function invalidInput(message: string, extra: Record<string, unknown> = {}): Failure {
  return new Failure('invalidInput', message, extra);
}

/** A value that breaks a rule, which names the field: the message may quote the value, the log has the rule alone. */
export function brokenRule(rule: string, message: string): Failure {
  return new Failure('invalidInput', message, {}, { rule });
}

export function unacceptable(message: string, cause?: unknown): Failure {
  return new Failure('unacceptable', message, {}, { cause });
}

export function forbidden(message = 'Forbidden'): Failure {
  return new Failure('forbidden', message);
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
    super(
      'unacceptable',
      detail.map((each) => `${each.loc.join('.')}: ${each.msg}`).join('; '),
      {},
      { rule: ruleOf(detail) },
    );
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

/** The first field of each finding and its rule. Deeper names, and names of unknown fields, may come from the client. */
function ruleOf(detail: ValidationDetail[]): string {
  const rules = detail.map(({ loc, type }) => {
    const field = type === 'extra_forbidden' ? undefined : loc.find((step, i) => i > 0 && typeof step === 'string');
    return field === undefined ? type : `${field}: ${type}`;
  });
  return [...new Set(rules)].slice(0, rulesMax).join('; ');
}

const rulesMax = 5;
