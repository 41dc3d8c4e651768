import type { Inference } from './inference.ts';
import type { VllmInference } from './vllm/vllm-inference.ts';

/** Sends each request to what runs its model: vLLM servers, or heddle's own processes, here or elsewhere. */
export function openInferenceByKind(own: Inference, vllm: VllmInference): Inference {
  const of = ({ id }: { id: string }): Omit<Inference, 'roomMaker'> => (vllm.runs(id) ? vllm : own);
  return {
    generate: (model, request, signal) => of(model).generate(model, request, signal),
    embed: (model, request, signal) => of(model).embed(model, request, signal),
    tokenize: (model, request, signal) => of(model).tokenize(model, request, signal),
    detokenize: (model, request, signal) => of(model).detokenize(model, request, signal),
    describeTokenizer: (model, tenant, signal) => of(model).describeTokenizer(model, tenant, signal),
    loadAdapter: (model) => of(model).loadAdapter(model),
    unloadAdapter: (model) => of(model).unloadAdapter(model),
    roomMaker: own.roomMaker,
    async load(timeoutMs) {
      const loads = await Promise.all([own.load(timeoutMs), vllm.load(timeoutMs)]);
      return new Map(loads.flatMap((each) => [...each]));
    },
    async close() {
      await Promise.all([own.close(), vllm.close()]);
    },
  };
}
