import { parentPort } from 'node:worker_threads';

export type Request = { id: number; body: unknown };
export type Reply = { id: number; result?: unknown; error?: string };

/** The inside of an isolated thread or process: answers each request in turn, an exception becomes an error reply. */
export function serve(handle: (body: never) => unknown): void {
  const reply = (message: Reply) => (parentPort ? parentPort.postMessage(message) : process.send!(message));
  let last: Promise<void> = Promise.resolve();
  const take = ({ id, body }: Request) => {
    last = last.then(async () => {
      try {
        reply({ id, result: await handle(body as never) });
      } catch (error) {
        reply({ id, error: error instanceof Error ? error.message : String(error) });
      }
    });
  };
  if (parentPort) parentPort.on('message', take);
  else process.on('message', (message) => take(message as Request));
}
