import type { Accepted, GenerationEvent } from '../../chat/types.ts';
import type { RunningGeneration } from '../../engine/engine.ts';

/** A request that was accepted and has not started. */
export type Prepared = { accepted: Accepted; start(reader: EventReader): RunningGeneration };

/** The same, from the text half of a server, which does not know the files. */
export type PreparedByServer = Omit<Prepared, 'accepted'> & { accepted: Omit<Accepted, 'origin'> };

/** Takes the events of an answer. */
export type EventReader = { emit(event: GenerationEvent): void; end(error: Error | null): void };
