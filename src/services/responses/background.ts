import type { ResponseBody } from '../../contract/responses/response.ts';
import { Failure } from '../../util/failures.ts';
import type { Recording } from './recording.ts';

type Running = { recording: Recording; stop: AbortController; over: Promise<void> };

/**
 * Responses that no connection waits for, while they run. The start of each is durable before it is acknowledged: if the
 * server ends meanwhile, its call has no end, and the response is shown as failed.
 */
export class BackgroundResponses {
  readonly #running = new Map<string, Running>();
  readonly #draining: AbortSignal;

  constructor(draining: AbortSignal) {
    this.#draining = draining;
  }

  /** @param stop cancels the generation @throws Failure if its start cannot be stored, or the process is ending */
  async start(recording: Recording, stop: AbortController): Promise<ResponseBody> {
    const { id } = recording.run.head;
    const body = await this.#begin(recording).catch((error) => {
      stop.abort();
      throw error;
    });
    const over = recording.finish(stop.signal).finally(() => this.#running.delete(id));
    this.#running.set(id, { recording, stop, over });
    return body;
  }

  async #begin(recording: Recording): Promise<ResponseBody> {
    if (this.#draining.aborted) throw new Failure('unavailable', 'The server is stopping. Send the request again.');
    return recording.begin();
  }

  /** Resolves when those that run now have ended and are stored. */
  async ended(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ over }) => over));
  }

  /** The response as it is now; null if it does not run. */
  bodyOf(id: string): ResponseBody | null {
    return this.#running.get(id)?.recording.run.body() ?? null;
  }

  /** Resolves when it has ended and is stored; at once if it does not run. */
  async cancel(id: string): Promise<void> {
    const running = this.#running.get(id);
    running?.stop.abort();
    await running?.over;
  }
}
