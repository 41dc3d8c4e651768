import { Failure } from '../../../util/failures.ts';
import type { CompletionChunk } from './wire.ts';

/**
 * Counts the token ids of an answer, chunk by chunk: training on an answer whose ids or logprobs are incomplete would be wrong
 * without anybody noticing. What it returns throws a Failure.
 */
export function checkIds(address: string): (chunk: CompletionChunk) => void {
  let ids = 0;
  return ({ choices, usage }) => {
    for (const { token_ids, logprobs } of choices) {
      const inChunk = token_ids?.length ?? 0;
      ids += inChunk;
      if (logprobs && logprobs.token_logprobs.length !== inChunk)
        throw wrongCount(address, `${logprobs.token_logprobs.length} logprobs for ${inChunk} token ids`);
    }
    const tokens = usage?.completion_tokens ?? null;
    if (tokens !== null && tokens !== ids) throw wrongCount(address, `${ids} token ids for ${tokens} tokens`);
  };
}

function wrongCount(address: string, what: string): Failure {
  const rule = `the vLLM server ${address} has sent ${what}`;
  return new Failure('unavailable', `The vLLM server of the model has sent ${what}.`, {}, { rule });
}
