import type { AdapterId } from '../adapter-id.ts';

/** Where an adapter is read from when it is needed: a PEFT folder, which must stay until the adapter is unloaded. */
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
