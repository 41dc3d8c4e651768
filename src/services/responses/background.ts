import { setTimeout } from 'node:timers/promises';
import type { ResponseBody } from '../../contract/responses/response.ts';
import type { Peers } from '../../store/peers/peers.ts';
import type { RunningResponses } from '../../store/postgres/responses/running-responses.ts';
import { Failure } from '../../util/failures.ts';
import type { Recording } from './recording.ts';

type Running = { recording: Recording; stop: AbortController; over: Promise<void> };

type Surroundings = {
  draining: AbortSignal;
  peers: Peers;
  /** Those of all processes; those of a process that is alone are not in it. */
  everywhere: RunningResponses;
};

/**
 * Responses that no connection waits for, while they run. The start of each is durable before it is acknowledged: if the
 * server ends meanwhile, its call has no end, and the response is shown as failed. Other processes see that one runs, and can
 * cancel it.
 */
export class BackgroundResponses {
  readonly #running = new Map<string, Running>();
  readonly #draining: AbortSignal;
  readonly #peers: Peers;
  readonly #everywhere: RunningResponses;

  constructor({ draining, peers, everywhere }: Surroundings) {
    this.#draining = draining;
    this.#peers = peers;
    this.#everywhere = everywhere;
    peers.on('responses', (id) => {
      if (id !== null) this.#running.get(id)?.stop.abort();
      else if (this.#running.size > 0) void this.#stopCanceled().catch(() => {}); // then they run to their end
    });
  }

  /** @param stop cancels the generation @throws Failure if its start cannot be stored, or the process is ending */
  async start(recording: Recording, stop: AbortController): Promise<ResponseBody> {
    const { id } = recording.run.head;
    const body = await this.#begin(recording).catch(async (error) => {
      stop.abort();
      await this.#remove(id);
      throw error;
    });
    const over = recording.finish(stop.signal).finally(() => {
      this.#running.delete(id);
      return this.#remove(id);
    });
    this.#running.set(id, { recording, stop, over });
    return body;
  }

  async #begin(recording: Recording): Promise<ResponseBody> {
    if (this.#draining.aborted) throw new Failure('unavailable', 'The server is stopping. Send the request again.');
    if (!this.#peers.isAlone) await this.#everywhere.add(recording.run.head.id, this.#peers.id);
    return recording.begin();
  }

  /** A row that stays says nothing once the end of the response is stored. */
  async #remove(id: string): Promise<void> {
    if (!this.#peers.isAlone) await this.#everywhere.remove(id).catch(() => {});
  }

  /** After a time in which notices may have been missed. */
  async #stopCanceled(): Promise<void> {
    for (const id of await this.#everywhere.canceledOf(this.#peers.id)) this.#running.get(id)?.stop.abort();
  }

  /** Resolves when those that run in this process now have ended and are stored. */
  async ended(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ over }) => over));
  }

  /** The response as it is now; null if it does not run in this process. */
  bodyOf(id: string): ResponseBody | null {
    return this.#running.get(id)?.recording.run.body() ?? null;
  }

  /** Whether it runs in another process; null for a process that is alone. */
  async runsElsewhere(id: string): Promise<boolean | null> {
    return this.#peers.isAlone ? null : this.#everywhere.isRunning(id);
  }

  /** Resolves when it has ended and is stored; at once if it does not run. */
  async cancel(id: string): Promise<void> {
    const running = this.#running.get(id);
    running?.stop.abort();
    await running?.over;
    if (running || this.#peers.isAlone || !(await this.#everywhere.cancel(id))) return;
    await this.#peers.notify('responses', id);
    while (await this.#everywhere.isRunning(id)) await setTimeout(pollMs);
  }
}

const pollMs = 50;
