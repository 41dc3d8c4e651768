import { words } from './openai-chat.ts';
import { argumentsOf, type Body, billFor, type Conversation, type Dialect, nextMove, sse } from './scenario.ts';

/** Anthropic's messages, whose `input_tokens` do not contain the tokens of the cache. */
export const anthropicMessages: Dialect = {
  path: '/messages',
  answer(body, number) {
    const conversation = read(body);
    const move = nextMove(conversation);
    const billed = {
      ...billFor(conversation, `${body.model}-20250929`, number, 'msg_'),
      cacheWrite: 100,
      reasoning: 0,
    };
    const block =
      'tool' in move
        ? { type: 'tool_use', id: `toolu_${number}`, name: move.tool, input: argumentsOf(move) }
        : { type: 'text', text: move.text };
    const usage = {
      input_tokens: billed.input - billed.cacheRead - billed.cacheWrite,
      cache_creation_input_tokens: billed.cacheWrite,
      cache_read_input_tokens: billed.cacheRead,
      output_tokens: billed.output,
    };
    const stop_reason = 'tool' in move ? 'tool_use' : 'end_turn';
    const frame = { id: billed.responseId, type: 'message', role: 'assistant', model: billed.model };
    const answer = { ...frame, content: [block], stop_reason, stop_sequence: null, usage };
    return { answer, events: eventsOf(answer), billed };
  },
};

function eventsOf({ content: [block], stop_reason, usage, ...frame }: Body): string[] {
  const message = { ...frame, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  const isText = block.type === 'text';
  const deltas = isText
    ? words(block.text).map((text) => ({ type: 'text_delta', text }))
    : [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }];
  const events = [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: isText ? { ...block, text: '' } : { ...block, input: {} } },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index: 0, delta })),
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: usage.output_tokens },
    },
    { type: 'message_stop' },
  ];
  return events.map((event) => sse(event, event.type));
}

function read({ messages, system, tools = [] }: Body): Conversation {
  const texts = messages
    .filter(({ role }: Body) => role === 'user')
    .map(({ content }: Body) => JSON.stringify(content));
  return {
    texts: texts.filter((text: string) => !text.includes('tool_result')),
    answers: messages.filter(({ role }: Body) => role === 'assistant').length,
    messages: messages.length + (system ? 1 : 0),
    tools: tools.map((tool: Body) => tool.name),
  };
}
