import { setTimeout as sleep } from 'node:timers/promises';
import { errorText } from '../../../util/error-text.ts';
import { Failure, type FailureKind } from '../../../util/failures.ts';

/** Requests to one Tinker server, with its key, its errors as failures, and retries. */
export type TinkerHttp = {
  /** Host and port, for messages. */
  host: string;
  /**
   * @returns an answer of success, or 408, with which a server asks for patience
   * @throws TinkerFailure, and what the signal aborts with
   */
  send(request: TinkerRequest): Promise<TinkerAnswer>;
};

export type TinkerRequest = {
  method: 'GET' | 'POST' | 'DELETE';
  /** Below `/api/v1/`. */
  path: string;
  /** An object is sent as JSON, bytes as protobuf. */
  body?: object | Uint8Array<ArrayBuffer>;
  accept?: string;
  /** `unsent`: only if the server cannot have received it. Requests that it would apply twice. */
  resend: 'always' | 'unsent' | 'never';
  signal?: AbortSignal;
};

export type TinkerAnswer = { status: number; type: string; bytes: Uint8Array<ArrayBuffer> };

/** A server refuses, fails or cannot be reached. */
export class TinkerFailure extends Failure {
  /** Null without an answer. */
  readonly status: number | null;

  constructor(kind: FailureKind, message: string, status: number | null = null, cause?: unknown) {
    super(kind, message, {}, { cause, rule: `Tinker server: ${status ?? 'no answer'}` });
    this.status = status;
  }
}

export type TinkerHttpOptions = {
  /** With or without `/api/v1` at its end. */
  url: string;
  /** Empty for none. */
  apiKey: string;
  retry?: RetryOptions;
};

export type RetryOptions = { firstMs: number; waitMsMax: number; totalMsMax: number };

const patient: RetryOptions = { firstMs: 250, waitMsMax: 10_000, totalMsMax: 120_000 };

/** Servers hold requests for results open for less than a minute. */
const answerMsMax = 150_000;
export const answerBytesMax = 4 * 1024 ** 3;

export function openTinkerHttp({ url, apiKey, retry = patient }: TinkerHttpOptions): TinkerHttp {
  const base = `${url.replace(/\/+$/, '').replace(/\/api\/v1$/, '')}/api/v1/`;
  const { host } = new URL(base);

  async function attempt({ method, path, body, accept, signal }: TinkerRequest): Promise<TinkerAnswer> {
    const isBytes = body instanceof Uint8Array;
    const headers: Record<string, string> = { accept: accept ?? 'application/json' };
    if (apiKey !== '') headers['x-api-key'] = apiKey;
    if (body) headers['content-type'] = isBytes ? 'application/x-protobuf' : 'application/json';
    const timeout = AbortSignal.timeout(answerMsMax);
    const request = { method, headers, body: isBytes ? body : body && JSON.stringify(body) };
    const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
    const response = await fetch(base + path, { ...request, signal: either, redirect: 'manual' });
    return followed(response, base, either);
  }

  return {
    host,
    async send(request) {
      const startedAt = performance.now();
      for (let attempts = 1; ; attempts++) {
        request.signal?.throwIfAborted();
        const outcome = await attempt(request).then(
          (answer) => (answer.status < 300 || answer.status === 408 ? answer : refusal(answer, host, apiKey)),
          (error) => unreachable(error, host),
        );
        if (!(outcome instanceof TinkerFailure)) return outcome;
        request.signal?.throwIfAborted();
        const waitMs = Math.min(retry.firstMs * 2 ** (attempts - 1), retry.waitMsMax) * (0.5 + Math.random() / 2);
        const isLate = performance.now() - startedAt + waitMs > retry.totalMsMax;
        if (isLate || !mayResend(request, outcome)) throw outcome;
        await sleep(waitMs, undefined, { signal: request.signal });
      }
    },
  };
}

/** Redirects lead to files, at servers that must not see the key. */
async function followed(response: Response, base: string, signal: AbortSignal): Promise<TinkerAnswer> {
  const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
  if (location !== null) {
    await response.body?.cancel();
    response = await fetch(new URL(location, base), { signal });
  }
  const type = response.headers.get('content-type')?.split(';')[0]?.trim() ?? '';
  if (Number(response.headers.get('content-length') ?? 0) > answerBytesMax) {
    await response.body?.cancel();
    throw new Error(`the answer is longer than ${answerBytesMax} bytes`);
  }
  return { status: response.status, type, bytes: new Uint8Array(await response.arrayBuffer()) };
}

function refusal({ status, bytes }: TinkerAnswer, host: string, apiKey: string): TinkerFailure {
  const words = errorText(Buffer.from(bytes.subarray(0, wordBytesMax)).toString(), [apiKey]);
  const said = `The Tinker server ${host} answered ${status}${words === '' ? '' : `: ${words}`}`;
  const message = /[.!?…]$/.test(said) ? said : `${said}.`;
  if (status === 401 || status === 403) {
    return new TinkerFailure('forbidden', `${message} Check HEDDLE_TINKER_API_KEY.`, status);
  }
  if (status === 404 || status === 410) return new TinkerFailure('notFound', message, status);
  if (status === 429) return new TinkerFailure('busy', message, status);
  return new TinkerFailure(status >= 500 || status === 425 ? 'unavailable' : 'invalidInput', message, status);
}

const wordBytesMax = 64 * 1024;

function unreachable(error: unknown, host: string): TinkerFailure {
  const { cause, name } = error as Error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : name;
  const message = `The Tinker server ${host} cannot be reached, or closed the connection (${code}).`;
  return new TinkerFailure('unavailable', message, null, error);
}

/** A server that is busy has not accepted the request. */
function mayResend({ resend }: TinkerRequest, failure: TinkerFailure): boolean {
  if (resend === 'never') return false;
  const isRefusedEarly = failure.status === 429 || failure.status === 503;
  if (resend === 'unsent') return isRefusedEarly || isUnsent(failure);
  return failure.status === null || isRefusedEarly || [425, 500, 502, 504].includes(failure.status);
}

function isUnsent({ status, cause }: TinkerFailure): boolean {
  const code = (cause as { cause?: { code?: unknown } } | undefined)?.cause?.code;
  return (
    status === null && ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'].includes(String(code))
  );
}
