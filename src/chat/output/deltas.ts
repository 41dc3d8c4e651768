/** A piece of a streamed answer. Only the first piece of a tool call has its id and name. */
export type OutputDelta =
  | { kind: 'reasoning'; text: string }
  | { kind: 'content'; text: string }
  | { kind: 'tool_call'; index: number; id?: string; name?: string; arguments: string };

/** Parses the text of an answer that arrives in pieces. */
export type OutputParser = {
  push(text: string): OutputDelta[];
  /** Returns the text that was held back, at the end. */
  end(): OutputDelta[];
  /** The text so far ends inside the reasoning. */
  readonly isReasoning?: boolean;
  /** A call was cut or is not JSON. */
  readonly hasUnendedCall?: boolean;
};

type ToolCall = { id: string; type: 'function'; function: { name: string; arguments: string } };
export type JoinedAnswer = { content: string; reasoning: string | null; toolCalls: ToolCall[] };

/** Combines the pieces of an answer. */
export function answerOf(deltas: readonly OutputDelta[]): JoinedAnswer {
  const answer: JoinedAnswer = { content: '', reasoning: null, toolCalls: [] };
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
