import { argumentsOf, type Body, billFor, type Conversation, type Dialect, nextMove } from './scenario.ts';

/** Bedrock's Converse, whose `inputTokens` do not contain the tokens of the cache. */
export const bedrockConverse: Dialect = {
  path: '/converse',
  answer(body, number, path) {
    const conversation = read(body);
    const move = nextMove(conversation);
    const model = decodeURIComponent(path.split('/').at(-2)!);
    const billed = { ...billFor(conversation, model, number, 'bedrock-'), cacheWrite: 100, reasoning: 0 };
    const block =
      'tool' in move
        ? { toolUse: { toolUseId: `tooluse_${number}`, name: move.tool, input: argumentsOf(move) } }
        : { text: move.text };
    const answer = {
      output: { message: { role: 'assistant', content: [block] } },
      stopReason: 'tool' in move ? 'tool_use' : 'end_turn',
      usage: {
        inputTokens: billed.input - billed.cacheRead - billed.cacheWrite,
        outputTokens: billed.output,
        totalTokens: billed.input + billed.output,
        cacheReadInputTokens: billed.cacheRead,
        cacheWriteInputTokens: billed.cacheWrite,
      },
      metrics: { latencyMs: 5 },
    };
    return { answer, events: [], billed };
  },
};

function read({ messages, system = [], toolConfig }: Body): Conversation {
  const users = messages.filter(({ role }: Body) => role === 'user');
  const texts = users.map(({ content }: Body) => JSON.stringify(content));
  return {
    texts: texts.filter((text: string) => !text.includes('toolResult')),
    answers: messages.filter(({ role }: Body) => role === 'assistant').length,
    messages: messages.length + system.length,
    tools: (toolConfig?.tools ?? []).map(({ toolSpec }: Body) => toolSpec.name),
  };
}
