import type { AdapterId } from '../adapter-id.ts';

/** The PEFT folder of an adapter. It must exist until the request that names the adapter is accepted. */
export type AdapterFiles = {
  /** Other weights get another id. */
  id: AdapterId;
  folder: string;
};

export type AdapterLimits = {
  /** Maximum number of adapters in memory. */
  countMax: number;
  rankMax: number;
};
