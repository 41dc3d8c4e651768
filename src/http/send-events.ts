import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { toJson } from '../util/json/write.ts';
import { unreadMaxMs } from './unread.ts';

/** One JSON value, with its own headers. */
export type JsonAnswer<Body = unknown> = { body: Body; headers?: Record<string, string> };

/** A response of server-sent events. */
export class EventStream {
  readonly frames: AsyncIterable<string>;
  readonly headers: Record<string, string>;

  constructor(frames: AsyncIterable<string>, headers: Record<string, string> = {}) {
    this.frames = frames;
    this.headers = headers;
  }
}

/** When there is no event, a comment keeps clients and proxies from disconnecting. */
const silenceMaxMs = 15_000;
const comment = ': still here\n\n';

/**
 * Sends the headers at once, then each frame as soon as it is available. The next frame is taken only when the client
 * has read, so what a slow client has not read stays with the producer of the frames. A client that reads nothing for
 * too long is disconnected.
 */
export async function sendEvents(
  reply: FastifyReply,
  { frames, headers }: EventStream,
  limits = { unreadMaxMs },
): Promise<FastifyReply> {
  const { raw } = reply;
  reply.hijack();
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    ...headers,
  });
  raw.flushHeaders();
  // Each successful write, comments included, restarts this timeout, so it fires only if all writes are stuck.
  raw.setTimeout(limits.unreadMaxMs, () => raw.destroy());
  const heartbeat = setInterval(() => raw.writableNeedDrain || raw.write(comment), silenceMaxMs);
  try {
    for await (const frame of frames) {
      if (raw.destroyed) break;
      heartbeat.refresh();
      if (!raw.write(frame)) await drained(raw);
    }
  } finally {
    clearInterval(heartbeat);
    raw.end();
  }
  return reply;
}

/** Resolves when there is room again, or the client is gone. */
function drained(raw: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      raw.off('drain', done).off('close', done);
      resolve();
    };
    raw.on('drain', done).on('close', done);
  });
}

export function sendJsonAnswer(reply: FastifyReply, { body, headers = {} }: JsonAnswer): FastifyReply {
  return reply.code(200).headers(headers).type('application/json; charset=utf-8').send(toJson(body));
}
