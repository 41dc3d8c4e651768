import { beginningOf } from '../../../chat/plan/beginning.ts';
import { type ServerPlan, serverPlanOf } from '../../../chat/plan/server-plan.ts';
import type { AdapterFiles } from '../../../engine/adapters/adapter-files.ts';
import type { ServerText } from '../../hosts/server-text.ts';
import { withPlainFailures } from '../engine/plain-failure.ts';
import { lacks } from '../engine/refusals.ts';
import type { Capabilities } from '../servers/probe.ts';
import type { VllmServers } from '../servers/vllm-servers.ts';
import { acceptRequest } from './accept-request.ts';
import { answerTokenization } from './answer-tokenization.ts';
import type { Ask, Asking } from './asking.ts';
import { embedTexts } from './embed-texts.ts';

type Options = {
  servers: Asking['servers'] & Pick<VllmServers, 'embed' | 'tokenize' | 'capabilities'>;
  model: string;
  contextMax: number;
  /** Infinite if it is not known. */
  vocabSize: number;
  /** @returns the name of the adapter at the servers @throws Failure */
  loadAdapter(files: AdapterFiles): Promise<string>;
};

/** The templates, tokenizers and parsers of vLLM servers. */
export function openServerText({ servers, model, contextMax, vocabSize, loadAdapter }: Options): ServerText {
  const nameOf = async (files: AdapterFiles | null) => (files === null ? null : loadAdapter(files));
  return {
    async generate(request, { limits, config, fault }, signal) {
      const plan = serverPlanOf(request, { limits, config, contextMax, vocabSize });
      const adapter = await nameOf(request.adapter);
      const can = await withPlainFailures(() => servers.capabilities(model));
      checkAbilities(plan, can, model);
      const stop = new AbortController();
      const sending = {
        model,
        adapter,
        affinity: beginningOf(request.body),
        signal: AbortSignal.any([signal, stop.signal]),
      };
      const ask: Ask = (body) => ({ ...sending, body });
      return withPlainFailures(() => acceptRequest({ servers, request, plan, can, fault, ask }, signal, stop));
    },
    async embed(request, signal) {
      return embedTexts({ servers, model, adapter: await nameOf(request.adapter) }, request, signal);
    },
    textHalf: (request, signal) =>
      withPlainFailures(() => answerTokenization({ servers, model, contextMax }, request, signal)),
  };
}

/** @throws Failure for what no server of the model can do */
function checkAbilities({ constraint, promptLogprobs }: ServerPlan, can: Capabilities, model: string): void {
  if (!can.returnsTokenIds) throw lacks(model, 'return_token_ids');
  if (constraint !== null && !can.structuredOutputs) throw lacks(model, constraint.param);
  const asksPrompt = promptLogprobs.prompt !== null || promptLogprobs.echoed !== null;
  if (asksPrompt && !can.promptLogprobs) throw lacks(model, 'prompt_logprobs');
}
