import type { TextGeneration } from '../../chat/types.ts';
import { mergeIterables } from '../../util/merge-iterables.ts';

export type TextEvents = ReturnType<typeof eventsOf>;

/** The events of all prompts. Leaving them cancels what has not ended. */
export async function* eventsOf(generations: readonly TextGeneration[], ended: AbortController) {
  try {
    yield* mergeIterables(generations.map(({ events }) => events));
  } finally {
    ended.abort();
  }
}
