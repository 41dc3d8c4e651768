import type { FastifyBaseLogger } from 'fastify';
import type { ResponseBody } from '../../contract/responses/response.ts';
import type { Caller } from '../../identity/identity.ts';
import type { Responses } from '../../services/responses/responses.ts';
import type { StoredResponse } from '../../services/responses/stored-response.ts';
import type { Recording } from './recording.ts';

type Running = { recording: Recording; stop: AbortController; over: Promise<void> };

/**
 * Responses that no connection waits for, while they run. The start of each is durable before it is acknowledged: if the
 * server ends meanwhile, its call has no end, and the response is shown as failed.
 */
export class BackgroundResponses {
  readonly #running = new Map<string, Running>();
  readonly #log: FastifyBaseLogger;

  constructor(log: FastifyBaseLogger) {
    this.#log = log;
  }

  /** @param stop cancels the generation @throws Failure if its start cannot be stored */
  async start(recording: Recording, stop: AbortController): Promise<ResponseBody> {
    const { id } = recording.run.head;
    try {
      await recording.begin();
    } catch (error) {
      stop.abort();
      throw error;
    }
    const body = recording.run.body();
    const over = this.#run(recording, stop.signal).finally(() => this.#running.delete(id));
    this.#running.set(id, { recording, stop, over });
    return body;
  }

  /** A stored response as it is now. @throws Failure if there is none that the caller may read */
  async find(responses: Responses, caller: Caller, id: string): Promise<StoredResponse> {
    const wasRunning = this.#running.has(id);
    const stored = await responses.find(caller, id);
    const running = this.#running.get(id);
    if (running) return { ...stored, body: running.recording.run.body() };
    return wasRunning ? responses.find(caller, id) : stored; // it ended while its start was read
  }

  /** Resolves when it has ended and is stored; at once if it does not run. */
  async cancel(id: string): Promise<void> {
    const running = this.#running.get(id);
    running?.stop.abort();
    await running?.over;
  }

  async #run(recording: Recording, stopped: AbortSignal): Promise<void> {
    const { run } = recording;
    try {
      for await (const event of run.generation.events) run.take(event);
    } catch (error) {
      if (stopped.aborted) recording.cancel('The response was canceled.');
      else recording.fail(error as Error);
    }
    await recording.write().catch((error) => this.#log.error({ err: error }, 'a response was not recorded'));
  }
}
