import { type Decoding, decode } from './decode.ts';
import { prefill } from './prefill.ts';
import type { RunContext } from './run.ts';
import type { StepRequest, StepResult } from './types.ts';

/**
 * Computes a step: first requests of several tokens, one after another in chunks, then those of one token together.
 * Callers say where each sequence continues, so rows that a failed step appended are dropped.
 */
export async function step(context: RunContext, requests: StepRequest[]): Promise<StepResult[]> {
  const results: StepResult[] = requests.map(() => ({ kind: 'none' }));
  const decodings: Decoding[] = [];
  for (const [place, request] of requests.entries()) {
    const { id, length } = request.sequence;
    context.cache.truncate(id, length);
    if (request.tokens.length > 1 || request.output === 'states') {
      results[place] = await prefill(context, request);
      continue;
    }
    const entry = context.cache.reserve(id, length + 1);
    if (entry === null) results[place] = { kind: 'cacheFull' };
    else decodings.push({ request, entry, place });
  }
  for (const { place, result } of await decode(context, decodings)) results[place] = result;
  return results;
}
