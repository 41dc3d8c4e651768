import { Agent, type Dispatcher, interceptors, request } from 'undici';
import { Canceled, Failure, tooLarge } from '../util/failures.ts';
import { type Backoff, Transient, withBackoff } from './backoff.ts';
import { describeProblem, isTransientCode, isTransientStatus, requestedWaitMs } from './describe-problem.ts';
import { guardedConnector } from './guarded-connector.ts';

export type ProviderRequest = {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** How long the provider may take, at most as long as the setting allows. */
  timeoutMs?: number | null;
  signal: AbortSignal;
  /** Values that the provider's error messages must not repeat. */
  secrets: string[];
};

/** Sends requests to model providers: retries, limits and checks of addresses apply to all of them. */
export type Transport = {
  /** The body of the answer. @throws Failure */
  post(request: ProviderRequest): Promise<string>;
  /** The body of the answer in pieces, as they arrive. @throws Failure, also in between */
  stream(request: ProviderRequest): Promise<AsyncIterable<string>>;
  /**
   * The content of a public address; redirects are followed. A named private host may be asked if it is that of the
   * provider whose answer contains the address, without redirects: users choose what providers answer. @throws Failure
   */
  download(url: string, of: { providerUrl: string; signal: AbortSignal }): Promise<Buffer>;
  close(): Promise<void>;
};

export type TransportOptions = {
  privateHosts: string;
  timeoutMsMax: number;
  bytesMax: number;
  backoff: Backoff;
  resolve?: Parameters<typeof guardedConnector>[0]['resolve'];
};

const connectMsMax = 10_000;
const redirectsMax = 5;
/** Further requests wait. */
const connectionsPerHostMax = 256;
const errorBytesMax = 64 * 1024;

export function openTransport({ privateHosts, timeoutMsMax, bytesMax, backoff, resolve }: TransportOptions): Transport {
  const connect = guardedConnector({ privateHosts, timeoutMs: connectMsMax, resolve });
  const limits = { headersTimeout: 0, bodyTimeout: 0, connections: connectionsPerHostMax };
  const agent = new Agent({ connect, ...limits });
  const publicConnect = guardedConnector({ privateHosts: '', timeoutMs: connectMsMax, resolve });
  const publicAgent = new Agent({ connect: publicConnect, ...limits });
  const following = publicAgent.compose(interceptors.redirect({ maxRedirections: redirectsMax }));

  let isClosed = false;

  async function begin(sent: ProviderRequest): Promise<Begun> {
    const host = new URL(sent.url).host;
    const timeoutMs = Math.min(sent.timeoutMs ?? timeoutMsMax, timeoutMsMax);
    const deadline = performance.now() + timeoutMs;
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([sent.signal, timeout]);
    const explain = (error: unknown) => {
      if (error instanceof Failure) return error;
      if (sent.signal.aborted) return new Canceled('The request was canceled.');
      if (isClosed) return new Failure('unavailable', 'The server is stopping.');
      if (timeout.aborted) return new Failure('unavailable', `${host} did not respond within ${timeoutMs / 1000} s.`);
      const code = codeOf(error);
      const message = `${host} cannot be reached or closed the connection${code === '' ? '' : ` (${code})`}.`;
      return isTransientCode(code) ? new Transient('unavailable', message) : new Failure('unavailable', message);
    };
    const attempt = async () => {
      try {
        const { headers, body, url } = sent;
        const answer = await request(url, { dispatcher: agent, method: 'POST', headers, body, signal });
        neverUncaught(answer.body);
        if (answer.statusCode >= 200 && answer.statusCode < 300) return answer;
        throw await problemOf(answer, host, sent.secrets);
      } catch (error) {
        throw explain(error);
      }
    };
    const answer = await withBackoff(backoff, { deadline, signal }, attempt).catch((error) => {
      throw explain(error);
    });
    return { host, body: answer.body, explain };
  }

  return {
    async post(sent) {
      const begun = await begin(sent);
      return (await bytesOf(begun, bytesMax)).toString('utf8');
    },

    stream: async (sent) => pieces(await begin(sent), bytesMax),

    async download(url, { providerUrl, signal }) {
      const timeout = AbortSignal.timeout(timeoutMsMax);
      const { host } = new URL(url);
      const explain = (error: unknown) =>
        error instanceof Failure ? error : new Failure('unavailable', `${host} did not send the file.`);
      try {
        const all = AbortSignal.any([signal, timeout]);
        const dispatcher = host === new URL(providerUrl).host ? agent : following;
        const { statusCode, body } = await request(url, { dispatcher, signal: all });
        neverUncaught(body);
        if (statusCode === 200) return await bytesOf({ host, body, explain }, bytesMax);
        body.destroy();
        throw new Failure('unavailable', `${host} answered ${statusCode} instead of the file.`);
      } catch (error) {
        throw explain(error);
      }
    },

    async close() {
      isClosed = true;
      await Promise.all([agent.destroy(), publicAgent.destroy()]);
    },
  };
}

/** An answer whose body has not been read. */
type Begun = { host: string; body: Dispatcher.ResponseData['body']; explain(error: unknown): Failure };

async function* pieces({ host, body, explain }: Begun, bytesMax: number): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let bytes = 0;
  try {
    for await (const piece of body) {
      bytes += piece.length;
      if (bytes > bytesMax) throw tooLong(host, bytesMax);
      yield decoder.decode(piece, { stream: true });
    }
    yield decoder.decode();
  } catch (error) {
    throw explain(error);
  } finally {
    body.destroy();
  }
}

async function bytesOf({ host, body, explain }: Begun, bytesMax: number): Promise<Buffer> {
  const found: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of body) {
      bytes += piece.length;
      if (bytes > bytesMax) throw tooLong(host, bytesMax);
      found.push(piece);
    }
    return Buffer.concat(found);
  } catch (error) {
    body.destroy();
    throw explain(error);
  }
}

/**
 * A response that is canceled while it is not being read has an error, which would end the process without a listener.
 */
function neverUncaught(body: Begun['body']): void {
  body.on('error', () => {});
}

function tooLong(host: string, bytesMax: number): Failure {
  return tooLarge(`The response of ${host} has more than ${bytesMax} bytes (HEDDLE_PROVIDER_MAX_BYTES).`);
}

async function problemOf(answer: Dispatcher.ResponseData, host: string, secrets: string[]): Promise<Failure> {
  const { statusCode: status, headers, body } = answer;
  const never = (error: unknown) => error as Failure;
  const text = await bytesOf({ host, body, explain: never }, errorBytesMax).then(String, () => '');
  const message = describeProblem({ host, status, text, location: headers.location, secrets });
  if (isTransientStatus(status)) {
    return new Transient(status === 429 ? 'busy' : 'unavailable', message, requestedWaitMs(headers));
  }
  return new Failure('unacceptable', message, { provider_status: status });
}

function codeOf(error: unknown): string {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (typeof code === 'string') return code;
  return cause === undefined ? '' : codeOf(cause);
}
