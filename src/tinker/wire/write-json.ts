import type { SamplingOutput, TopLogprobs, TrainingOutput } from '../training-output.ts';

/** For clients before protobuf. */
export function trainingOutputJson({ logprobs, metrics }: TrainingOutput) {
  return {
    loss_fn_output_type: 'ArrayRecord',
    loss_fn_outputs: logprobs.map(({ shape, values }) => ({
      logprobs: { data: Array.from(values), dtype: 'float32', shape },
    })),
    metrics,
  };
}

export function samplingOutputJson({ sequences, promptLogprobs, promptTop, cachedTokens }: SamplingOutput) {
  return {
    type: 'sample',
    sequences: sequences.map(({ isStopped, tokens, logprobs, top }) => ({
      stop_reason: isStopped ? 'stop' : 'length',
      tokens,
      logprobs,
      ...(top && { topk_logprobs: top.map(pairs) }),
    })),
    prompt_logprobs: promptLogprobs,
    topk_prompt_logprobs: promptTop?.map((top) => top && pairs(top)) ?? null,
    prompt_cache_hit_tokens: cachedTokens,
  };
}

function pairs(top: TopLogprobs): [number, number][] {
  return top.map(({ token, logprob }) => [token, logprob]);
}
