import type { AdapterId } from '../adapter-id.ts';

/** Where an adapter is read from: a PEFT folder, which is needed until the request that names it is accepted. */
export type AdapterFiles = {
  /** Never reused for other weights. */
  id: AdapterId;
  folder: string;
};

export type AdapterLimits = {
  /** How many adapters may be in memory. */
  countMax: number;
  rankMax: number;
};
