import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { toJson } from '../util/json/write.ts';
import { unreadMaxMs } from './unread.ts';

/** One JSON value with headers of its own. */
export type JsonAnswer<Body = unknown> = { body: Body; headers?: Record<string, string> };

/** An answer in server-sent events. */
export class EventStream {
  readonly frames: AsyncIterable<string>;
  readonly headers: Record<string, string>;

  constructor(frames: AsyncIterable<string>, headers: Record<string, string> = {}) {
    this.frames = frames;
    this.headers = headers;
  }
}

/** While nothing is to be said, a comment keeps clients and proxies from hanging up. */
const silenceMaxMs = 15_000;
const comment = ': still here\n\n';

/**
 * Sends the headers at once, then each frame as soon as it is there, and takes the next only when the client has read:
 * what a slow client does not read stays with whoever makes the frames. One that reads nothing for too long is cut off.
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
  // Every write that gets on, comments too, begins this time anew: it passes only where all of them are stuck.
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

/** Resolves when there is room again, or nobody to write to. */
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
