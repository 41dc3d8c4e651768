import type { Engine } from '../engine.ts';
import type { PositionLogprobs } from '../sampling/logprobs.ts';
import { neutralSampling } from '../sampling/testing/neutral-sampling.ts';
import type { GenerationRequest } from '../scheduling/generation-request.ts';

/** `logprobs` has, for each token, its own logprob and those of its alternatives. */
export type Generated = { tokens: number[]; logprobs: number[]; cachedTokens: number };

/** A greedy request for exactly `maxTokens` tokens. */
export function greedyRequest(promptIds: readonly number[], maxTokens: number): GenerationRequest {
  return {
    promptIds,
    decoding: {
      kind: 'sampling',
      parameters: { ...neutralSampling, temperature: 0 },
      seeds: [0n],
      isSeedGiven: true,
      badWords: [],
    },
    rules: {
      eosId: null,
      ignoreEos: true,
      stopTokenIds: new Set(),
      minTokens: 0,
      maxTokens,
      contextLength: 256,
      repetition: null,
    },
    topLogprobs: 3,
    promptLogprobs: null,
    constraint: null,
    adapter: null,
    priority: 0,
    tenant: ['ann', 'p'],
    cacheSalt: '',
    beginning: () => '',
  };
}

/** Generates the single sequence of a request that reports logprobs. */
export async function generate(engine: Engine, request: GenerationRequest): Promise<Generated> {
  const start = await engine.prepare(request, new AbortController().signal);
  const generated: Generated = { tokens: [], logprobs: [], cachedTokens: 0 };
  return new Promise((resolve, reject) => {
    start({
      promptDone({ cachedTokens }) {
        generated.cachedTokens = cachedTokens;
      },
      token(_, { id, logprobs }) {
        generated.tokens.push(id);
        const { token, top } = logprobs as PositionLogprobs;
        generated.logprobs.push(token.logprob, ...top.map(({ logprob }) => logprob));
        return false;
      },
      isInPrelude: () => false,
      lateLogprobs() {},
      lateCachedTokens() {},
      sequenceEnded() {},
      end: (error) => (error ? reject(error) : resolve(generated)),
    });
  });
}
