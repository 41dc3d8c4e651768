import { type ChildProcess, fork } from 'node:child_process';
import { Worker } from 'node:worker_threads';
import type { Reply, Request } from './serve.ts';

/** The other side was stopped: it ran out of time or memory, or crashed. What it was doing has no result. */
export class IsolationLost extends Error {
  readonly reason: 'time' | 'crash' | 'closed';

  constructor(reason: IsolationLost['reason'], detail = '') {
    const words = { time: 'took too long', crash: `broke down${detail && `: ${detail}`}`, closed: 'was closed' };
    super(`The isolated work ${words[reason]}.`);
    this.name = 'IsolationLost';
    this.reason = reason;
  }
}

/** Code that may hang or exhaust its memory without harm to the server: a thread or a process that can be killed. */
export class Isolated {
  readonly #side: OtherSide;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;
  #isAlive = true;

  constructor(side: OtherSide) {
    this.#side = side;
    side.onReply((reply) => this.#settle(reply));
    side.onEnd((detail) => this.#lose(new IsolationLost('crash', detail)));
  }

  /** False once it was lost; every later call fails. */
  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Asks the other side. Past `timeoutMs` it is killed, and all its unanswered calls fail with it. */
  call(body: unknown, { timeoutMs }: { timeoutMs?: number } = {}): Promise<unknown> {
    if (!this.#isAlive) return Promise.reject(new IsolationLost('closed'));
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const timer = timeoutMs === undefined ? null : setTimeout(() => this.#end(new IsolationLost('time')), timeoutMs);
      this.#waiting.set(id, { resolve, reject, timer });
      this.#side.send({ id, body });
    });
  }

  close(): void {
    this.#end(new IsolationLost('closed'));
  }

  #settle({ id, result, error }: Reply): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    if (waiting.timer) clearTimeout(waiting.timer);
    if (error === undefined) waiting.resolve(result);
    else waiting.reject(new Error(error));
  }

  #end(reason: IsolationLost): void {
    this.#lose(reason);
    this.#side.kill();
  }

  #lose(reason: IsolationLost): void {
    this.#isAlive = false;
    for (const { reject, timer } of this.#waiting.values()) {
      if (timer) clearTimeout(timer);
      reject(reason);
    }
    this.#waiting.clear();
  }
}

type Waiting = { resolve: (result: unknown) => void; reject: (error: Error) => void; timer: NodeJS.Timeout | null };

type OtherSide = {
  send: (request: Request) => void;
  kill: () => void;
  onReply: (listener: (reply: Reply) => void) => void;
  onEnd: (listener: (detail: string) => void) => void;
};

/** A thread: quick to talk to. It shares the process, which a JavaScript heap that bursts can end. */
export function isolatedThread(file: URL, { heapMb }: { heapMb: number }): Isolated {
  const worker = new Worker(file, {
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
    execArgv: [],
    stdout: true,
    stderr: true,
  });
  worker.unref();
  return new Isolated({
    send: (request) => worker.postMessage(request),
    kill: () => void worker.terminate(),
    onReply: (listener) => worker.on('message', listener),
    onEnd: (listener) => {
      worker.on('error', (error) => listener(error instanceof Error ? error.message : String(error)));
      worker.on('exit', () => listener('the thread ended'));
    },
  });
}

/** A process of its own, without our environment: nothing it does to its memory reaches us. */
export function isolatedProcess(file: URL, { heapMb }: { heapMb: number }): Isolated {
  const child: ChildProcess = fork(file, {
    execArgv: [`--max-old-space-size=${heapMb}`],
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  child.unref();
  child.channel?.unref();
  return new Isolated({
    send: (request) => {
      // While something is asked, the channel must keep the program alive to bring the answer.
      child.channel?.ref();
      child.send(request);
    },
    kill: () => void child.kill('SIGKILL'),
    onReply: (listener) =>
      child.on('message', (reply) => {
        child.channel?.unref();
        listener(reply as Reply);
      }),
    onEnd: (listener) => {
      child.on('error', (error) => listener(error.message));
      child.on('exit', (_code, signal) => listener(`the process ended${signal ? ` with ${signal}` : ''}`));
    },
  });
}
