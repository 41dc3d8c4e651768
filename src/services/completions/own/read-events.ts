import { Canceled } from '../../../util/failures.ts';

type Reader<Event> = {
  take(event: Event): void;
  /** Called once: with null after the last event, or why there are no more. */
  end(failure: Error | null): void;
};

/** Passes events on to their reader, and reports how reading them ended. */
export async function* readEvents<Event>(
  events: AsyncIterable<Event>,
  { take, end }: Reader<Event>,
): AsyncGenerator<Event, void, undefined> {
  let failure: Error | null = new Canceled('The client hung up.');
  try {
    for await (const event of events) {
      take(event);
      yield event;
    }
    failure = null;
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    end(failure);
  }
}
