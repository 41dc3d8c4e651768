import {
  Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as overHttp,
} from 'node:http';
import { request as overHttps, Agent as TlsAgent } from 'node:https';

/** Connections to servers. They are kept, and further ones are opened for requests at the same time. */
export type Connections = {
  /**
   * Sends a request, and passes on its answer as it arrives: by calls, because most pieces are a single token, and iterators would cost
   * more than the token. Resolves when the answer has ended, or as soon as the reader wants no more, which closes the connection.
   * @throws the reason of the signal, what the reader throws, and Node's errors
   */
  exchange(request: ExchangeRequest, reader: AnswerReader): Promise<void>;
  close(): void;
};

type ExchangeRequest = {
  url: string;
  headers: Record<string, string>;
  /** Sent with POST. Without it, it is a GET. */
  body: string | undefined;
  /** Opens a connection for this request alone. */
  isFresh?: boolean;
  signal: AbortSignal;
};

type AnswerReader = {
  onStart(status: number, headers: IncomingHttpHeaders): void;
  /** @returns true where the rest is not wanted */
  onBytes(bytes: Buffer): boolean;
};

/**
 * Uses Node's own client: that of undici looks at a kept connection before it uses it again, with a timer, which adds more than a
 * millisecond to each request.
 */
export function openConnections({
  connectMsMax,
  connectionsMax,
}: {
  connectMsMax: number;
  connectionsMax: number;
}): Connections {
  const options = { keepAlive: true, maxSockets: connectionsMax, maxFreeSockets: connectionsMax, timeout: keptMs };
  const plain = new Agent(options);
  const tls = new TlsAgent(options);

  function start({ url, headers, body, isFresh = false }: ExchangeRequest): ClientRequest {
    const isTls = url.startsWith('https:');
    const agent = isFresh ? false : isTls ? tls : plain;
    const request = (isTls ? overHttps : overHttp)(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers,
      agent,
    });
    request.once('socket', (socket) => {
      if (!socket.connecting) return;
      const timer = setTimeout(() => socket.destroy(new ConnectTimeout()), connectMsMax);
      socket.once('connect', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
    });
    request.end(body);
    return request;
  }

  return {
    exchange(sent, { onStart, onBytes }) {
      const { signal } = sent;
      if (signal.aborted) return Promise.reject(signal.reason);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const request = start(sent);
      let isOver = false;
      const end = (finish: () => void) => {
        if (isOver) return;
        isOver = true;
        signal.removeEventListener('abort', cancel);
        finish();
      };
      const leave = (finish: () => void) => {
        end(finish);
        request.destroy();
      };
      const cancel = () => leave(() => reject(signal.reason));
      signal.addEventListener('abort', cancel, { once: true });
      const fail = (error: Error) => end(() => reject(error));
      const read = (answer: IncomingMessage) => {
        onStart(answer.statusCode!, answer.headers);
        answer.on('data', (bytes: Buffer) => {
          if (isOver) return;
          try {
            if (onBytes(bytes)) leave(resolve);
          } catch (error) {
            leave(() => reject(error));
          }
        });
        answer.on('end', () => end(resolve)).on('error', fail);
      };
      request.on('response', read).on('error', fail);
      return promise;
    },
    close() {
      for (const agent of [plain, tls]) agent.destroy();
    },
  };
}

class ConnectTimeout extends Error {
  readonly code = 'ETIMEDOUT';
}

/** vLLM closes idle connections after 5 s by default. */
const keptMs = 3_000;
