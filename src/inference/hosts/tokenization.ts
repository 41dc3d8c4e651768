import { type Rendering, refuseFarTooLong, renderedPrompt } from '../../chat/plan/prompt.ts';
import type { ServedText } from '../../chat/tokenizer/served-text.ts';
import type { TextHalfAnswer, TextHalfRequest } from '../../chat/types.ts';
import type { ChatRequest } from '../../contract/chat/request.ts';
import { invalidInput } from '../../util/failures.ts';

type Deps = { text: ServedText; contextMax: number } & Pick<Rendering, 'renderUntrusted'>;

/** Handles requests that need only the text half of a model and generate nothing. @throws Failure */
export async function answerTextHalf(request: TextHalfRequest, deps: Deps): Promise<TextHalfAnswer> {
  const { text, contextMax } = deps;
  switch (request.kind) {
    case 'tokenize': {
      const prompt = await promptText(request.body, deps);
      await refuseFarTooLong(prompt, text, contextMax);
      const ids = text.tokenizer.encode(prompt, { addSpecialTokens: request.addsSpecialTokens });
      return { ids, tokens: ids.map((id) => text.tokenizer.tokenOf(id) ?? ''), text: prompt, contextMax };
    }
    case 'detokenize': {
      const { ids } = request;
      const unknown = ids.find((id) => text.tokenizer.tokenOf(id) === undefined);
      if (unknown !== undefined)
        throw invalidInput(`There is no token ${unknown} in the vocabulary.`, { param: 'tokens' });
      return { ids: [...ids], tokens: [], text: text.tokenizer.decode(ids), contextMax };
    }
    case 'describe': {
      const { templateVariables, bosId, eosId } = text;
      return {
        chatTemplate: text.chatTemplates.get('default') ?? null,
        templateVariables,
        bosId,
        eosId,
        vocabularySize: text.tokenizer.vocabularySize,
        contextMax,
      };
    }
    default:
      return request satisfies never;
  }
}

function promptText(body: ChatRequest | string, { text, renderUntrusted }: Deps): Promise<string> | string {
  return typeof body === 'string' ? body : renderedPrompt(body, text, { now: new Date(), renderUntrusted });
}
