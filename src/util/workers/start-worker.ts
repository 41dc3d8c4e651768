import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import { Worker } from 'node:worker_threads';
import type { FromWorker, ToWorker } from './messages.ts';

/** A running thread or child process, as messages and its end. */
export type StartedWorker = {
  pid: number | undefined;
  send(messages: ToWorker[], transfer: Transferable[]): void;
  /** Whether this process stays alive for the worker. */
  keepAlive(isNeeded: boolean): void;
  kill(): void;
};

export type Transferable = NonNullable<Parameters<Worker['postMessage']>[1]>[number];

type WorkerListeners = {
  onMessage(messages: FromWorker[]): void;
  /** Once, after the last message. */
  onEnd(end: WorkerEnd): void;
};

/** How a worker ended, such as "with exit code 1", and the uncaught error, if there was one. */
export type WorkerEnd = { how: string; signal: NodeJS.Signals | null; cause: Error | undefined };

export type StartWorker = (listeners: WorkerListeners) => StartedWorker;

export function thread(file: URL): StartWorker {
  return ({ onMessage, onEnd }) => {
    const worker = new Worker(file);
    let cause: Error | undefined;
    worker.on('message', onMessage);
    worker.on('error', (error) => {
      cause = error as Error;
    });
    worker.once('exit', (code) => onEnd({ how: `with exit code ${code}`, signal: null, cause }));
    return {
      pid: undefined,
      send: (messages, transfer) => worker.postMessage(messages, transfer),
      keepAlive: (isNeeded) => (isNeeded ? worker.ref() : worker.unref()),
      kill: () => void worker.terminate(),
    };
  };
}

/** The output of a child process is discarded: it may quote requests. */
export function childProcess(
  file: URL,
  args: string[],
  options: Pick<ForkOptions, 'env' | 'execArgv' | 'execPath'>,
): StartWorker {
  return (listeners) => {
    const child = fork(file, args, {
      ...options,
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    return listenTo(child, listeners);
  };
}

function listenTo(child: ChildProcess, { onMessage, onEnd }: WorkerListeners): StartedWorker {
  let cause: Error | undefined;
  child.on('message', (sent: FromWorker[] | string) => {
    // `isJson` in `serve-requests.ts`: only messages whose keys are heddle's own are sent as text.
    const messages: FromWorker[] = typeof sent === 'string' ? JSON.parse(sent) : sent;
    const [first] = messages;
    if (first?.type === 'crashed') cause = new Error(first.at);
    else onMessage(messages);
  });
  // Comes after the last message; `exit` may come before it.
  child.once('close', (code, signal) => onEnd({ how: endOf(code, signal), signal, cause }));
  child.on('error', (error) => {
    if (child.pid === undefined) onEnd({ how: `before it was started (${error.message})`, signal: null, cause: error });
  });
  return {
    pid: child.pid,
    // Requests that cannot be sent fail when the process has ended.
    send: (messages) => void child.send(messages, () => {}),
    keepAlive(isNeeded) {
      for (const each of [child, child.channel]) {
        if (isNeeded) each?.ref();
        else each?.unref();
      }
    },
    kill: () => void child.kill('SIGKILL'),
  };
}

function endOf(code: number | null, signal: NodeJS.Signals | null): string {
  if (signal === null) return `with exit code ${code}`;
  return `with signal ${signal}${signal === 'SIGKILL' ? ', for example because memory ran out' : ''}`;
}
