/** What is asked of an isolated process: one message at a time, with one or more requests. */
export type Request = { id: number; body: unknown };

export type Reply =
  | { id: number; kind: 'result'; result: unknown }
  | { id: number; kind: 'error'; message: string }
  /** The process cannot be used after this error. It ends, and requests that followed in the message were not begun. */
  | { id: number; kind: 'fatal'; message: string };

/** Sent once the process can take requests. */
export const ready = 'ready';

/** The limit that this process was started with. */
export function memoryLimitMb(): number {
  return Number(process.argv[2]);
}

/** Thrown by a handler after which its process must not be used. */
export class FatalError extends Error {
  override name = 'FatalError';
}

/**
 * The inside of an isolated process: answers requests in order. It ends when the other side goes away; one that is busy
 * then finishes what it does first, or meets its limit of processor time.
 */
export function serve(handle: (body: never) => unknown): void {
  process.on('disconnect', () => process.exit());
  process.on('message', async (requests: Request[]) => {
    const replies: Reply[] = [];
    for (const { id, body } of requests) {
      const reply = await replyTo(handle, id, body);
      replies.push(reply);
      if (reply.kind === 'fatal') {
        process.send!(replies, () => process.exit());
        return;
      }
    }
    process.send!(replies);
  });
  process.send!(ready);
}

async function replyTo(handle: (body: never) => unknown, id: number, body: unknown): Promise<Reply> {
  try {
    return { id, kind: 'result', result: await handle(body as never) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { id, kind: error instanceof FatalError ? 'fatal' : 'error', message };
  }
}
