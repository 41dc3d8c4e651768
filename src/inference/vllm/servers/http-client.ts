import { StringDecoder } from 'node:string_decoder';
import { createParser } from 'eventsource-parser';
import type { z } from 'zod';
import { describeFaults } from '../../../util/describe-faults.ts';
import { errorText } from '../../../util/error-text.ts';
import { Failure, tooLarge } from '../../../util/failures.ts';
import { parsePlain } from '../../../util/json/parse.ts';
import { toJson } from '../../../util/json/write.ts';
import { openConnections } from './connections.ts';
import { ServerLost, ServerRefusal } from './failures.ts';
import { openStallWatch } from './stall-watch.ts';
import { streamError } from './wire.ts';

/** Sends requests to vLLM servers. */
export type HttpClient = {
  /** The text of a successful answer. @throws ServerLost, ServerRefusal, or the reason of the signal */
  ask(address: string, request: Ask): Promise<string>;
  /** The same, parsed. @throws also ServerLost if the answer has another shape */
  askFor<Value>(address: string, request: Ask, schema: z.ZodType<Value>): Promise<Value>;
  /**
   * Passes on the events of a stream as they arrive, up to `[DONE]`. Resolves when the answer has ended, or at once where `take` wants no
   * more, which closes the connection.
   * @throws ServerLost, also if the stream is cut or stalls; ServerRefusal, also in between; and what `take` throws
   */
  stream<Value>(address: string, request: StreamRequest, shape: StreamShape<Value>, take: Take<Value>): Promise<void>;
  close(): Promise<void>;
};

/** The shape of the events of a stream. */
export type StreamShape<Value> = {
  schema: z.ZodType<Value>;
  /** Cheaper than the schema where it says true. */
  isUsual?(value: unknown): value is Value;
};

/** @returns true where the rest is not wanted */
export type Take<Value> = (value: Value) => boolean;

type Ask = {
  path: string;
  /** Sent with POST. */
  body?: Record<string, unknown>;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Opens a connection for this request alone. */
  isFresh?: boolean;
};

type Asked = Pick<Ask, 'path' | 'body' | 'isFresh'> & { signal: AbortSignal };

type StreamRequest = {
  path: string;
  body: Record<string, unknown>;
  signal: AbortSignal;
  /** How long the first event may take: the request may wait for its turn. */
  firstMsMax: number;
  /** How long each further event may take. */
  stallMsMax: number;
};

export type HttpOptions = { apiKey: string | null; connectMsMax: number; connectionsMax: number };

export function openHttpClient({ apiKey, connectMsMax, connectionsMax }: HttpOptions): HttpClient {
  const connections = openConnections({ connectMsMax, connectionsMax });
  const describe = (text: string) => errorText(text, apiKey === null ? [] : [apiKey]);
  const authorization: Record<string, string> = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };

  /**
   * Sends a request, and passes on the bytes of a successful answer, up to those of which `onBytes` returns true.
   * @throws ServerRefusal, the reason of the signal, what `onBytes` throws, and Node's errors
   */
  async function exchange(address: string, asked: Asked, onBytes: (bytes: Buffer) => boolean): Promise<void> {
    const { path, body, isFresh, signal } = asked;
    const contentType: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    const request = {
      url: `${address.replace(/\/$/, '')}${path}`,
      headers: { ...authorization, ...contentType },
      body: body && toJson(body),
      isFresh: isFresh ?? false,
      signal,
    };
    let status = 0;
    let retryAfter: string | undefined;
    const refusal: Buffer[] = [];
    await connections.exchange(request, {
      onStart(found, headers) {
        status = found;
        retryAfter = headers['retry-after'];
      },
      onBytes(bytes) {
        if (status === 200) return onBytes(bytes);
        refusal.push(bytes);
        return refusal.reduce((sum, { length }) => sum + length, 0) > refusalBytesMax;
      },
    });
    if (status !== 200)
      throw new ServerRefusal(address, status, describe(Buffer.concat(refusal).toString()), { retryAfter });
  }

  async function ask(address: string, request: Ask): Promise<string> {
    try {
      return await askOnce(address, request);
    } catch (error) {
      // An idle connection may be closed at the moment when it is used again.
      if (error instanceof ServerLost && error.how === 'closed') return askOnce(address, request);
      throw error;
    }
  }

  async function askOnce(address: string, request: Ask): Promise<string> {
    const timeout = AbortSignal.timeout(request.timeoutMs);
    const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout;
    try {
      const pieces: Buffer[] = [];
      let bytes = 0;
      await exchange(address, { ...request, signal }, (piece) => {
        pieces.push(piece);
        bytes += piece.length;
        if (bytes <= answerBytesMax) return false;
        throw tooLarge(`The answer of the vLLM server has more than ${answerBytesMax} bytes.`);
      });
      return Buffer.concat(pieces).toString();
    } catch (error) {
      request.signal?.throwIfAborted();
      if (timeout.aborted)
        throw new ServerLost(address, `did not answer within ${request.timeoutMs / 1000} s`, { cause: error });
      throw explain(address, error);
    }
  }

  return {
    ask,
    async askFor(address, request, schema) {
      return parsed(address, await ask(address, request), { schema });
    },
    async stream(address, { path, body, signal, firstMsMax, stallMsMax }, shape, take) {
      const stalled = new AbortController();
      const watch = openStallWatch((ms) => stalled.abort(new ServerLost(address, `sent nothing for ${ms / 1000} s`)));
      const decoder = new StringDecoder();
      const parser = createParser({ onEvent: ({ data }) => onData(data) });
      let isDone = false;
      let isLeft = false;
      let isFaultOfReader = false;

      function onData(data: string): void {
        isDone ||= data === '[DONE]';
        if (isDone || isLeft) return; // it is read to its end, so that the connection is kept
        checkForError(address, data, describe);
        watch.expectWithin(stallMsMax);
        const value = parsed(address, data, shape);
        isFaultOfReader = true;
        isLeft = take(value);
        isFaultOfReader = false;
      }

      try {
        watch.expectWithin(firstMsMax);
        const either = AbortSignal.any([signal, stalled.signal]);
        await exchange(address, { path, body, signal: either }, (bytes) => {
          parser.feed(decoder.write(bytes));
          return isLeft;
        });
        if (!isDone && !isLeft) throw new ServerLost(address, 'ended its answer before the end');
      } catch (error) {
        if (isDone) return;
        signal.throwIfAborted();
        throw isFaultOfReader ? error : explain(address, error);
      } finally {
        watch.close();
      }
    },
    close: async () => connections.close(),
  };
}

function parsed<Value>(address: string, text: string, { schema, isUsual }: StreamShape<Value>): Value {
  let value: unknown;
  try {
    value = parsePlain(text);
  } catch (cause) {
    throw new ServerLost(address, 'answered something other than JSON', { cause });
  }
  if (isUsual?.(value)) return value;
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  throw new ServerLost(address, `answered in an unexpected shape: ${describeFaults(error).slice(0, faultsMax)}`);
}

/** An error after the beginning of a stream is an event of it. @throws ServerRefusal */
function checkForError(address: string, data: string, describe: (text: string) => string): void {
  if (!data.startsWith('{"error"') && !data.startsWith('{"object":"error"')) return;
  const code = Number(streamError.safeParse(parsePlain(data)).data?.error.code ?? Number.NaN);
  throw new ServerRefusal(address, code >= 400 && code < 600 ? code : 500, describe(data), {
    isInStream: true,
  });
}

function explain(address: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  const code = codeOf(error);
  const isClosed = closedCodes.includes(code);
  const reason = isClosed ? 'closed the connection' : `cannot be reached (${code})`;
  return new ServerLost(address, reason, { how: isClosed ? 'closed' : 'down', cause: error });
}

function codeOf(error: unknown): string {
  const { code, cause, name } = (error ?? {}) as { code?: unknown; cause?: unknown; name?: unknown };
  if (typeof code === 'string') return code;
  return cause === undefined ? String(name) : codeOf(cause);
}

/** The connection existed. The server may have ended, or only this connection. */
const closedCodes = ['ECONNRESET', 'EPIPE'];

const answerBytesMax = 256 * 1024 * 1024;
const refusalBytesMax = 64 * 1024;
const faultsMax = 300;
