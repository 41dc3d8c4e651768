import { whenIdle } from '../when-idle.ts';
import type { BodyOf, EventOf, Handlers, ResultOf } from './messages.ts';
import type { StartWorker } from './start-worker.ts';
import { type RequestOptions, WorkerClient, type WorkerOptions } from './worker-client.ts';

const closeMsMax = 5_000;

type RestartingOptions = WorkerOptions & {
  /** Ends the worker while it is idle: only then is the memory of a thread's heap freed. */
  endsWhenIdle?: boolean;
};

/** A worker that starts with its first request, and again with the first request after it has ended. */
export class RestartingWorker<Served extends Handlers> {
  readonly #start: StartWorker;
  readonly #options: RestartingOptions;
  readonly #idle = whenIdle(() => void this.close());
  #client: WorkerClient<Served> | null = null;

  constructor(start: StartWorker, options: RestartingOptions = {}) {
    this.#start = start;
    this.#options = options;
  }

  request<Name extends keyof Served & string>(
    name: Name,
    body: BodyOf<Served[Name]>,
    options: RequestOptions<EventOf<Served[Name]>> = {},
  ): Promise<ResultOf<Served[Name]>> {
    if (!this.#client?.isAlive) this.#client = new WorkerClient<Served>(this.#start, this.#options);
    const answer = this.#client.request(name, body, options);
    if (!this.#options.endsWhenIdle) return answer;
    this.#idle.begin();
    return answer.finally(this.#idle.finish);
  }

  /** Resolves when the worker has ended. A later request starts another. */
  async close(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    await client?.close(closeMsMax);
  }
}

const shared = new Set<RestartingWorker<never>>();

/** A worker for the whole process. `closeSharedWorkers` ends it. */
export function sharedWorker<Served extends Handlers>(
  start: StartWorker,
  options: RestartingOptions = {},
): RestartingWorker<Served> {
  const worker = new RestartingWorker<Served>(start, options);
  shared.add(worker);
  return worker;
}

export async function closeSharedWorkers(): Promise<void> {
  await Promise.all([...shared].map((worker) => worker.close()));
}
