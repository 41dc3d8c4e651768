import { words } from './openai-chat.ts';
import { argumentsOf, type Body, billFor, type Conversation, type Dialect, nextMove, sse } from './scenario.ts';

/** Google's Gemini API, whose candidates' tokens do not contain those of its thoughts. */
const answer: Dialect['answer'] = (body, number, path) => {
  const conversation = read(body);
  const move = nextMove(conversation);
  const model = path.split('/').at(-1)!.split(':')[0]!;
  const billed = billFor(conversation, model, number, 'gemini-');
  const usageMetadata = {
    promptTokenCount: billed.input,
    candidatesTokenCount: billed.output - billed.reasoning,
    thoughtsTokenCount: billed.reasoning,
    cachedContentTokenCount: billed.cacheRead,
    totalTokenCount: billed.input + billed.output,
  };
  const frame = { responseId: billed.responseId, modelVersion: billed.model };
  const chunk = (part: object, more: object = {}) => ({
    candidates: [{ index: 0, content: { role: 'model', parts: [part] }, ...more }],
    ...frame,
  });
  const last = { finishReason: 'STOP' };
  const part = 'tool' in move ? { functionCall: { name: move.tool, args: argumentsOf(move) } } : { text: move.text };
  const texts = 'text' in move ? words(move.text).map((text) => ({ text })) : [part];
  const events = texts.map((each, index) =>
    sse(index < texts.length - 1 ? chunk(each) : { ...chunk(each, last), usageMetadata }),
  );
  return { answer: { ...chunk(part, last), usageMetadata }, events, billed };
};

export const gemini: Dialect = { path: ':generateContent', answer };
export const geminiStream: Dialect = { path: ':streamGenerateContent', isStream: true, answer };

function read({ contents, systemInstruction, tools = [] }: Body): Conversation {
  const parts = contents.flatMap(({ role, parts: of }: Body) => of.map((part: Body) => ({ role, ...part })));
  return {
    texts: parts.filter(({ role, text }: Body) => role === 'user' && text).map(({ text }: Body) => text),
    answers: contents.filter(({ role }: Body) => role === 'model').length,
    messages: contents.length + (systemInstruction ? 1 : 0),
    tools: tools.flatMap((tool: Body) => (tool.functionDeclarations ?? []).map(({ name }: Body) => name)),
  };
}
