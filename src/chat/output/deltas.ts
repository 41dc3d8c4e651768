/** A piece of an answer, as it is streamed. A tool call has its id and name in its first piece alone. */
export type OutputDelta =
  | { kind: 'reasoning'; text: string }
  | { kind: 'content'; text: string }
  | { kind: 'tool_call'; index: number; id?: string; name?: string; arguments: string };

/** Takes the text of an answer in pieces and says what each piece is. */
export type OutputParser = {
  push(text: string): OutputDelta[];
  /** What was held back, once there is no more text. */
  end(): OutputDelta[];
};

type ToolCall = { id: string; type: 'function'; function: { name: string; arguments: string } };
export type Answer = { content: string; reasoning: string | null; toolCalls: ToolCall[] };

/** A whole answer from its pieces. */
export function answerOf(deltas: readonly OutputDelta[]): Answer {
  const answer: Answer = { content: '', reasoning: null, toolCalls: [] };
  for (const delta of deltas) {
    if (delta.kind === 'content') answer.content += delta.text;
    else if (delta.kind === 'reasoning') answer.reasoning = (answer.reasoning ?? '') + delta.text;
    else {
      answer.toolCalls[delta.index] ??= { id: '', type: 'function', function: { name: '', arguments: '' } };
      const call = answer.toolCalls[delta.index]!;
      call.id += delta.id ?? '';
      call.function.name += delta.name ?? '';
      call.function.arguments += delta.arguments;
    }
  }
  return answer;
}
