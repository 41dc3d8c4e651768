import { argumentsOf, type Body, billFor, type Dialect, nextMove } from './scenario.ts';

/** Cohere's chat, which reports what it bills beside the tokens that it counted. */
export const cohereChat: Dialect = {
  path: '/v2/chat',
  answer(body, number) {
    const { messages, tools = [] }: Body = body;
    const conversation = {
      texts: messages.filter(({ role }: Body) => role === 'user').map(({ content }: Body) => JSON.stringify(content)),
      answers: messages.filter(({ role }: Body) => role === 'assistant').length,
      messages: messages.length,
      tools: tools.map((tool: Body) => tool.function.name),
    };
    const move = nextMove(conversation);
    const billed = { ...billFor(conversation, body.model, number, 'cohere-'), cacheRead: 0, reasoning: 0 };
    const message =
      'tool' in move
        ? {
            role: 'assistant',
            tool_plan: 'I look.',
            tool_calls: [
              {
                id: `call_${number}`,
                type: 'function',
                function: { name: move.tool, arguments: JSON.stringify(argumentsOf(move)) },
              },
            ],
          }
        : { role: 'assistant', content: [{ type: 'text', text: move.text }] };
    const tokens = { input_tokens: billed.input, output_tokens: billed.output };
    const finish_reason = 'tool' in move ? 'TOOL_CALL' : 'COMPLETE';
    const answer = { id: billed.responseId, finish_reason, message, usage: { billed_units: tokens, tokens } };
    return { answer, events: [], billed };
  },
};
