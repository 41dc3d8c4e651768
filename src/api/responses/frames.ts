import type { ResponseEvent } from '../../contract/responses/events.ts';
import { toJson } from '../../util/json/write.ts';
import type { Recording } from './recording.ts';

/**
 * The frames of a stream: each event with its type as its name, and a number that counts them. A response that is stored
 * is durable before the last one.
 */
export async function* responseFrames(recording: Recording): AsyncGenerator<string> {
  const { run } = recording;
  let number = 0;
  const framesOf = (events: ResponseEvent[]) =>
    events
      .map((event) => `event: ${event.type}\ndata: ${toJson({ ...event, sequence_number: number++ })}\n\n`)
      .join('');
  let isWritten = false;
  try {
    yield framesOf(run.opening());
    for await (const event of run.generation.events) {
      const made = run.take(event);
      if (made.length > 0) yield framesOf(made);
    }
    await recording.write();
    isWritten = true;
  } catch (error) {
    recording.fail(error as Error);
    recording.writeLater();
    isWritten = true;
  } finally {
    if (!isWritten) {
      recording.cancel('The client hung up.');
      recording.writeLater();
    }
  }
  yield framesOf([run.closing()]);
}
