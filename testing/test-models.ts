import { join } from 'node:path';

/**
 * Settings that leave `heddle/tiny` to the vLLM server that `HEDDLE_TEST_TINY_AT_VLLM` names, which must serve it under this name and
 * see the folder of temporary files.
 */
export function modelServers(data: string): Record<string, string> {
  const { HEDDLE_TEST_TINY_AT_VLLM: url } = process.env;
  if (!url) return {};
  return {
    HEDDLE_VLLM_URL: url,
    HEDDLE_VLLM_MODELS: `heddle/tiny=${join(import.meta.dirname, '../assets/tiny-model')}`,
    HEDDLE_VLLM_ADAPTERS: `${data}-adapters`,
    ...(process.env.HEDDLE_VLLM_PROMPT_LOGPROBS
      ? { HEDDLE_VLLM_PROMPT_LOGPROBS: process.env.HEDDLE_VLLM_PROMPT_LOGPROBS }
      : {}),
  };
}
