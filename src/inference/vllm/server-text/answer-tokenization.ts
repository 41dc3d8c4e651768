import type { TextHalfAnswer, TextHalfRequest } from '../../../chat/types.ts';
import type { ChatRequest } from '../../../contract/chat/request.ts';
import { Failure } from '../../../util/failures.ts';
import type { VllmServers } from '../servers/vllm-servers.ts';
import { serverMessages, serverTools } from './server-messages.ts';

type At = { servers: Pick<VllmServers, 'tokenize' | 'detokenize'>; model: string; contextMax: number };

/** Makes tokens of text, and text of tokens, at the servers of a model. @throws Failure */
export async function answerTokenization(
  { servers, model, contextMax }: At,
  request: TextHalfRequest,
  signal: AbortSignal,
): Promise<TextHalfAnswer> {
  const ask = (body: Record<string, unknown>) => ({ model, body, affinity: null, signal });
  switch (request.kind) {
    case 'tokenize': {
      const { body, addsSpecialTokens } = request;
      const asked = typeof body === 'string' ? { prompt: body } : conversation(body);
      const { tokens, token_strs, max_model_len } = await servers.tokenize(
        ask({ ...asked, add_special_tokens: addsSpecialTokens, return_token_strs: true }),
      );
      const text = typeof body === 'string' ? body : await servers.detokenize(ask({ tokens }));
      return { ids: tokens, tokens: token_strs ?? [], text, contextMax: max_model_len };
    }
    case 'detokenize': {
      const ids = [...request.ids];
      return { ids, tokens: [], text: await servers.detokenize(ask({ tokens: ids })), contextMax };
    }
    case 'describe': {
      const message = `The tokenizer files of ${model} are not known here. Set HEDDLE_VLLM_MODELS=${model}=FOLDER.`;
      throw new Failure('unsupported', message, { param: 'model' }, { rule: message });
    }
    default:
      return request satisfies never;
  }
}

function conversation(body: ChatRequest): Record<string, unknown> {
  const { tools, chat_template, chat_template_kwargs } = body;
  return {
    messages: serverMessages(body.messages),
    add_generation_prompt: body.add_generation_prompt ?? !body.continue_final_message,
    continue_final_message: body.continue_final_message,
    ...(tools === null || tools.length === 0 ? {} : { tools: serverTools(tools) }),
    ...(chat_template === null ? {} : { chat_template }),
    ...(chat_template_kwargs === null ? {} : { chat_template_kwargs }),
  };
}
