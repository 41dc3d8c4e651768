import { Failure, type FailureKind } from '../../../util/failures.ts';

/** A server that could not be reached, has cut its answer, or has not answered in time. The reason is for operators. */
export class ServerLost extends Failure {
  readonly reason: string;
  /** `down`: nobody listens there. `closed`: the connection was closed, perhaps because it was idle. */
  readonly how: 'down' | 'closed' | 'other';

  constructor(
    address: string,
    reason: string,
    { how = 'other', cause }: { how?: ServerLost['how']; cause?: unknown } = {},
  ) {
    const rule = `the vLLM server ${address} ${reason}`;
    super('unavailable', 'The vLLM server of the model does not respond. Try again in a moment.', {}, { rule, cause });
    this.reason = reason;
    this.how = how;
  }
}

/** A server that has answered with an error. */
export class ServerRefusal extends Failure {
  readonly status: number;
  /** The words of the server. */
  readonly words: string;
  /** It came in a stream: the server goes on, and only this request has failed. */
  readonly isInStream: boolean;

  constructor(
    address: string,
    status: number,
    words: string,
    { retryAfter, isInStream = false }: { retryAfter?: string | undefined; isInStream?: boolean } = {},
  ) {
    const kind = kinds[status] ?? (status >= 500 ? 'unavailable' : 'unacceptable');
    const quoted = words === '' ? `vLLM answered ${status}.` : words;
    super(
      kind,
      kind === 'unavailable' ? `The vLLM server of the model answered ${status}: ${quoted}` : quoted,
      { ...(retryAfter === undefined ? {} : { retry_after: retryAfter }), ...fieldAtFault(words) },
      { rule: `the vLLM server ${address} answered ${status}` },
    );
    this.status = status;
    this.words = words;
    this.isInStream = isInStream;
  }

  get reason(): string {
    return `answered ${this.status}`;
  }

  /** Whether the server says that it does not have the model or the adapter. */
  get isUnknownModel(): boolean {
    return this.status === 404 && /does not exist/.test(this.words);
  }
}

/** The field that vLLM names at the end of its words: `(parameter=temperature, value=-3.0)`. */
function fieldAtFault(words: string): { param?: string } {
  const [, param] = /\(parameter=(\w+)[,)]/.exec(words) ?? [];
  return param === undefined ? {} : { param };
}

const kinds: Record<number, FailureKind> = {
  400: 'invalidInput',
  401: 'unavailable', // the key is the operator's, not the client's
  403: 'unavailable',
  404: 'notFound',
  405: 'unsupported',
  413: 'tooLarge',
  422: 'invalidInput',
  429: 'busy',
};

/** Whether it says that something is wrong with the server, rather than with the request. */
export function isAgainstServer(error: unknown): error is ServerLost | ServerRefusal {
  return (
    error instanceof ServerLost || (error instanceof ServerRefusal && error.kind === 'unavailable' && !error.isInStream)
  );
}
