/** What a server process tells the others that share its stores: where it takes their requests to models, and which it serves. */
export type ProcessOffer = {
  /** Processes send each other requests only if they speak the same version of the protocol. */
  protocol: string;
  host: string;
  port: number;
  /** The ids of the models and adapters whose files it has. */
  files: string[];
  /** The base models that are open, each with the adapters that it has used last. */
  open: { id: string; adapters: string[]; hasRoomForAdapters: boolean }[];
  /** Models with files here that have no room in memory at the moment, unless others are closed. */
  withoutRoom: string[];
  /** The beginnings of conversations that it serves because another process was full. */
  overflow: string[];
};

/** A process and what it offers. */
export type OfferingProcess = { id: string; offer: ProcessOffer };
