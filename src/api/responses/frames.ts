import type { ResponseEvent } from '../../contract/responses/events.ts';
import type { Recording } from '../../services/responses/recording.ts';
import { toJson } from '../../util/json/write.ts';

/**
 * The frames of a stream: each event with its type as its name, and a number that counts them. A response that is stored
 * is durable before the last one.
 */
export async function* responseFrames(recording: Recording): AsyncGenerator<string> {
  let number = 0;
  const framesOf = (events: ResponseEvent[]) =>
    events
      .map((event) => `event: ${event.type}\ndata: ${toJson({ ...event, sequence_number: number++ })}\n\n`)
      .join('');
  try {
    for await (const made of recording.events()) yield framesOf(made);
  } catch {} // the last event has the error
  yield framesOf([recording.run.closing()]);
}
