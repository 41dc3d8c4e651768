import { words } from './openai-chat.ts';
import { argumentsOf, type Body, billFor, type Conversation, type Dialect, nextMove, sse } from './scenario.ts';

/** OpenAI's responses. */
export const openAiResponses: Dialect = {
  path: '/responses',
  answer(body, number) {
    const conversation = read(body);
    const move = nextMove(conversation);
    const billed = billFor(conversation, `${body.model}-2024-07-18`, number, 'resp_');
    const item =
      'tool' in move
        ? {
            id: `fc_${number}`,
            type: 'function_call',
            call_id: `call_${number}`,
            name: move.tool,
            arguments: JSON.stringify(argumentsOf(move)),
            status: 'completed',
          }
        : {
            id: `msg_${number}`,
            type: 'message',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: move.text, annotations: [] }],
          };
    const usage = {
      input_tokens: billed.input,
      output_tokens: billed.output,
      total_tokens: billed.input + billed.output,
      input_tokens_details: { cached_tokens: billed.cacheRead },
      output_tokens_details: { reasoning_tokens: billed.reasoning },
    };
    const answer = {
      id: billed.responseId,
      object: 'response',
      created_at: 1_700_000_000,
      status: 'completed',
      model: billed.model,
      output: [item],
      usage,
      instructions: body.instructions ?? null,
      tools: body.tools ?? [],
      tool_choice: 'auto',
      parallel_tool_calls: true,
      error: null,
      incomplete_details: null,
      metadata: {},
      temperature: 1,
      top_p: 1,
    };
    return { answer, events: eventsOf(answer, item, 'text' in move ? move.text : ''), billed };
  },
};

function eventsOf(answer: Body, item: Body, text: string): string[] {
  const started = { ...answer, status: 'in_progress', output: [], usage: null };
  const place = { item_id: item.id, output_index: 0, content_index: 0 };
  const part = { type: 'output_text', text: '', annotations: [] };
  const events = [
    { type: 'response.created', response: started },
    { type: 'response.output_item.added', output_index: 0, item: item.content ? { ...item, content: [] } : item },
    ...(item.content ? [{ type: 'response.content_part.added', ...place, part }] : []),
    ...(item.content
      ? words(text).map((delta) => ({ type: 'response.output_text.delta', ...place, delta, logprobs: [] }))
      : []),
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: answer },
  ];
  return events.map((event, sequence_number) => sse({ ...event, sequence_number }, event.type));
}

function read({ input, instructions, tools = [] }: Body): Conversation {
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  return {
    texts: items.filter(({ role }: Body) => role === 'user').map(({ content }: Body) => JSON.stringify(content)),
    answers: items.filter(({ type }: Body) => type === 'function_call').length,
    messages: items.length + (instructions ? 1 : 0),
    tools: tools.map((tool: Body) => tool.name),
  };
}
