/**
 * What the server processes agree to use, one at a time, such as a replica. Each change has a term. A process uses what is
 * agreed only while its lease lasts, and only if it is ready: no process uses what was agreed before.
 */
export type Agreement = {
  /**
   * Renews the lease of this process, which uses nothing of earlier terms than `term` from now on. Call it at least once
   * before anything is used.
   */
  renew(term: number): Promise<Agreed>;
  /** Changes what is used, unless another process has done so since `term`. */
  choose(term: number, value: string): Promise<void>;
  /** Marks the choice of a term as ready, once no process is behind. */
  confirm(term: number): Promise<void>;
  /** Ends the lease of this process. */
  leave(): Promise<void>;
  /** How long a lease lasts without a renewal; null for a process that is alone. */
  leaseMs: number | null;
};

export type Agreed = {
  /** Null before the first choice, whose term is 1. */
  value: string | null;
  term: number;
  isReady: boolean;
  /** How many processes may still use what was agreed before. */
  behind: number;
};
