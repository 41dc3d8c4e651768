import type { ChatLimits } from '../../chat/types.ts';
import type { PoolOptions } from '../../util/workers/process-pool.ts';

/** How many templates or grammars of requests are prepared at once, and how many may wait. */
export function preparations({ preparersMax, preparationsWaitingMax: waitingMax }: ChatLimits): PoolOptions {
  return {
    processesMax: preparersMax,
    waitingMax,
    fullMessage: (waiting) =>
      `${waiting} chat templates and grammars of requests are waiting to be prepared; at most ${waitingMax} may wait ` +
      '(chatPreparationsWaitingMax). Try again in a moment.',
  };
}
