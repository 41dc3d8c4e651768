/**
 * Numbers for what several processes write, in one order. They are greater than any time in microseconds since 1970 at which a
 * process that was alone wrote, so both can be compared.
 */
export type WriteNumbers = {
  /** Takes the next block of numbers. */
  take(): Promise<NumberBlock>;
  /** Everything with this number or a smaller one is visible: no process will write it any more. */
  settled(): Promise<number>;
  /** What this process knows of `settled`, without asking: it may be smaller. */
  settledAtLeast(): number;
  /** Whether a process has written what it will ever write with a number: it has gone on since, or its lease has ended. */
  isOver(process: string, number: number): Promise<boolean>;
  /** The name of this process in what it writes. */
  process: string;
};

/** `blockSize` numbers from `first` on, for one batch. */
export type NumberBlock = {
  first: number;
  /**
   * False if others may have gone on without waiting for this batch, because the lease of this process has ended in between. What
   * has been written with these numbers then has to be written again, with new ones.
   */
  isHeld(): boolean;
  /** Call it once everything is visible, or will not be written. */
  release(): void;
};

export const blockSize = 4096;
