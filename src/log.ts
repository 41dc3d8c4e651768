import { type Logger, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import type { Config } from './config.ts';
import { Failure } from './util/failures.ts';
import { openLineWriter } from './util/line-writer.ts';

export type Log = Logger;

/**
 * The log of the server, on standard error: for people on a terminal, JSON lines otherwise. It never holds payloads or
 * keys: of a request it keeps method and path, of an error its type, its stack and the first line of its message without what
 * that quotes. The message of a `Failure` is for its client, so the log has its rule instead.
 */
export function openLog({ logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>): Log {
  const readable = logFormat === 'pretty' || (logFormat === 'auto' && process.stderr.isTTY);
  const write = openLineWriter((lines) => {
    log.warn({ lines }, 'lines of the log were dropped, because standard error was read too slowly');
  });
  const look = { colorize: process.stderr.isTTY, translateTime: 'SYS:HH:MM:ss', ignore };
  const print = readable ? prettyFactory(look) : (line: string) => line;
  const log = makeLog(logLevel, { write: (line) => write(print(line)) });
  return log;
}

const ignore = 'pid,hostname';

/** The log on any stream. */
export function makeLog(level: string, stream: { write(line: string): void }): Log {
  return pino(
    {
      level,
      redact: { paths: secretPaths, censor: '(kept out of the log)' },
      serializers: { req: describeRequest, res: describeResponse, err: describeError },
    },
    stream,
  );
}

const secretPaths = ['', '*.', '*.*.'].flatMap((above) =>
  ['authorization', '["wandb-api-key"]', '["x-api-key"]', 'cookie', 'apiKey', 'key'].map((name) =>
    name.startsWith('[') ? `${above.replace(/\.$/, '')}${name}` : `${above}${name}`,
  ),
);

function describeRequest({ method, url }: { method?: string; url?: string }) {
  return { method, path: url?.split('?', 1)[0] }; // signed addresses carry their secret in the query
}

function describeResponse({ statusCode }: { statusCode?: number }) {
  return { status: statusCode };
}

const messageCharactersMax = 300;

function messageOf(error: Error): string {
  if (error instanceof Failure) return error.rule;
  const { cause } = error; // a job passes on the message of a failure
  return cause instanceof Failure && cause.message === error.message ? cause.rule : withoutQuotes(error.message);
}

/** The first line, without quoted text: parsers and libraries quote what they read. */
function withoutQuotes(message: string): string {
  const quoted = message.replaceAll(/"(?:[^"\\]|\\.)*(?:"|$)/gs, '"…"');
  return quoted.replaceAll(/'(?:[^'\\\n]|\\.){3,}'/g, "'…'").split('\n', 1)[0]!;
}

/** Stores echo values and parameters in their errors, in further lines and further properties: these stay out. */
function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, cause } = error as NodeJS.ErrnoException;
  return {
    type: error.constructor.name,
    message: messageOf(error).slice(0, messageCharactersMax),
    code,
    stack: error.stack
      ?.split('\n')
      .filter((line) => line.startsWith('    at '))
      .join('\n'),
    cause: cause === undefined ? undefined : describeError(cause),
  };
}
