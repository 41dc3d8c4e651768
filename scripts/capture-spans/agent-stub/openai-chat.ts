import { argumentsOf, type Body, billFor, type Conversation, type Dialect, nextMove, sse } from './scenario.ts';

/** OpenAI's chat completions. */
export const openAiChat: Dialect = {
  path: '/chat/completions',
  answer(body, number) {
    const conversation = read(body);
    const move = moveFor(body, conversation);
    const billed = billFor(conversation, `${body.model}-2024-07-18`, number, 'chatcmpl-');
    const usage = {
      prompt_tokens: billed.input,
      completion_tokens: billed.output,
      total_tokens: billed.input + billed.output,
      prompt_tokens_details: { cached_tokens: billed.cacheRead, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: billed.reasoning, audio_tokens: 0 },
    };
    const frame = { id: billed.responseId, created: 1_700_000_000, model: billed.model };
    const tool_calls =
      'tool' in move
        ? [
            {
              id: `call_${number}`,
              type: 'function',
              function: { name: move.tool, arguments: JSON.stringify(argumentsOf(move)) },
            },
          ]
        : null;
    const message = tool_calls ? { content: null, tool_calls } : { content: 'text' in move ? move.text : '' };
    const finish_reason = tool_calls ? 'tool_calls' : 'stop';
    const choice = { index: 0, message: { role: 'assistant', ...message }, finish_reason, logprobs: null };
    const answer = { ...frame, object: 'chat.completion', choices: [choice], usage };
    const chunk = (delta: object, finish: string | null = null) => ({
      ...frame,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
    const deltas = tool_calls
      ? [{ role: 'assistant', content: null, tool_calls: [{ index: 0, ...tool_calls[0] }] }]
      : [{ role: 'assistant', content: '' }, ...words(String(message.content)).map((content) => ({ content }))];
    const last = { ...frame, object: 'chat.completion.chunk', choices: [], usage };
    const events = [...deltas.map((delta) => chunk(delta)), chunk({}, finish_reason), last].map((each) => sse(each));
    return { answer, events: [...events, sse('[DONE]')], billed };
  },
};

function read({ messages, tools = [] }: Body): Conversation {
  return {
    texts: messages.filter(({ role }: Body) => role === 'user').map(({ content }: Body) => JSON.stringify(content)),
    answers: messages.filter(({ role, content }: Body) => role === 'assistant' || isRetry(content)).length,
    messages: messages.length,
    tools: tools.map((tool: Body) => tool.function.name),
  };
}

/** smolagents forgets an answer whose tool failed, and tells the model so. */
function isRetry(content: unknown): boolean {
  return JSON.stringify(content ?? '').includes("let's retry");
}

/** DSPy asks for the fields of its signatures in text. */
function moveFor({ messages }: Body, conversation: Conversation) {
  const asked = JSON.stringify(messages);
  const field = (name: string, value: string) => `[[ ## ${name} ## ]]\n${value}\n\n`;
  const end = '[[ ## completed ## ]]';
  if (asked.includes('[[ ## next_tool_name ## ]]')) {
    const calls = asked.match(/\[\[ ## tool_name_\d/g)?.length ?? 0;
    const tool = ['weather', 'forecast'][calls] ?? 'finish';
    const args = tool === 'finish' ? '{}' : '{"city": "Paris"}';
    const text = field('next_thought', 'Look.') + field('next_tool_name', tool) + field('next_tool_args', args) + end;
    return { text };
  }
  const move = nextMove(conversation);
  if (!asked.includes('[[ ## answer ## ]]') || 'tool' in move) return move;
  return { text: field('reasoning', 'The tool said so.') + field('answer', move.text) + end };
}

export function words(text: string): string[] {
  return text.split(/(?= )/);
}
