import type { ResponseBody } from '../../contract/responses/response.ts';
import type { Recording } from './recording.ts';

type Running = { recording: Recording; stop: AbortController; over: Promise<void> };

/**
 * Responses that no connection waits for, while they run. The start of each is durable before it is acknowledged: if the
 * server ends meanwhile, its call has no end, and the response is shown as failed.
 */
export class BackgroundResponses {
  readonly #running = new Map<string, Running>();

  /** @param stop cancels the generation @throws Failure if its start cannot be stored */
  async start(recording: Recording, stop: AbortController): Promise<ResponseBody> {
    const { id } = recording.run.head;
    const body = await recording.begin().catch((error) => {
      stop.abort();
      throw error;
    });
    const over = recording.finish(stop.signal).finally(() => this.#running.delete(id));
    this.#running.set(id, { recording, stop, over });
    return body;
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
