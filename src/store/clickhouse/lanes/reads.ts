export type Lane = 'quick' | 'long';

export type Ticket = {
  read: Read<unknown>;
  isSettled: boolean;
  timer: NodeJS.Timeout | undefined;
  stop: (() => void) | null;
  resolve(value: unknown): void;
  reject(error: unknown): void;
};

/** A read that was started. */
export type StartedRead<Value> = {
  /** Settles when the engine has finished or stopped; the read keeps its place until then. */
  ended: Promise<Value>;
  /** The CPU time it has used so far. */
  usedMs(): Promise<number>;
  /** Makes `ended` reject soon, with an error that `wasStopped` recognizes. */
  stop(): void;
};

/** A read to run. It has no side effects, so it may be stopped and restarted. */
export type Read<Value> = {
  /** Reads of one group share a part of the store's capacity. */
  group: string;
  /** Roughly the memory that the read uses while it waits. */
  bytes: number;
  /** Aborts when the client no longer waits for the response. */
  signal: AbortSignal | null;
  start(): StartedRead<Value>;
};
