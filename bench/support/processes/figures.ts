/** What `bench/processes.ts` measures of one load. */
export type Measured = {
  load: string;
  connections: number;
  calls: number;
  requests: number;
  /** Parts of calls. */
  writesPerRequest: number;
  /** As sent. */
  bytesPerRequest: number;
  figures: ({ processes: number } & Figures)[];
};

/** Statements, inserts, transactions and seconds of processor time are those for 1,000 calls. */
export type Figures = {
  /** Calls a second. */
  rate: number;
  /** Of a request, in ms. */
  p50: number;
  p99: number;
  statements: number;
  inserts: number;
  transactions: number;
  cpuOfHeddle: number;
  cpuOfStores: number;
  cpuOfClient: number;
};
