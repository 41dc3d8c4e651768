import type { AdapterId } from '../adapter-id.ts';

/** The PEFT folder of an adapter. It must exist until the request that names the adapter is accepted. */
export type AdapterFiles = {
  /** Other weights get another id. */
  id: AdapterId;
  /** The model that it makes of its base, for people. */
  name: string;
  folder: string;
};

export type AdapterLimits = {
  /** Maximum number of adapters in memory. */
  countMax: number;
  rankMax: number;
};
