import type { ChatLimits } from '../../../chat/types.ts';

export const testLimits: ChatLimits = {
  runningMax: 4,
  waitingMax: 2,
  batchInvariant: false,
  guessMax: 0,
  adapters: { countMax: 2, rankMax: 8 },
  quantizedArithmetic: 'exact',
  choicesMax: 1,
  logprobsMax: 20,
  preparersMax: 1,
  preparationsWaitingMax: 100,
};
