import { numberOf, recordOf, writeJson } from '../../format/json.ts';

export type AnswerToken = { token: string; logprob: number; alternatives: { token: string; logprob: number }[] };

/** What a model has answered so far. */
export type Answer = {
  state: 'waiting' | 'streaming' | 'done' | 'stopped' | 'failed';
  content: string;
  reasoning: string;
  toolCalls: { name: string; arguments: string }[];
  /** Empty unless probabilities were asked for. */
  tokens: AnswerToken[];
  finishReason: string | null;
  usage: { input: number; output: number } | null;
  /** The call that records it. */
  callId: string | null;
  error: string | null;
  /** Milliseconds from the request to the first token and to the end. */
  firstMs: number | null;
  wholeMs: number | null;
};

export function newAnswer(): Answer {
  return {
    ...{ state: 'waiting', content: '', reasoning: '', toolCalls: [], tokens: [], finishReason: null, usage: null },
    ...{ callId: null, error: null, firstMs: null, wholeMs: null },
  };
}

/** Adds a line of `/completions/create_stream` to an answer. Providers omit fields, so nothing of it is relied on. */
export function addLine(answer: Answer, line: Record<string, unknown>): void {
  const callId = recordOf(line._meta).weave_call_id;
  if (typeof callId === 'string') answer.callId = callId;
  if (line.error != null) answer.error = typeof line.error === 'string' ? line.error : writeJson(line.error);
  const { prompt_tokens: input, completion_tokens: output } = recordOf(line.usage);
  const usage = { input: numberOf(input), output: numberOf(output) };
  if (usage.input !== null && usage.output !== null) answer.usage = { input: usage.input, output: usage.output };
  const choice = recordOf(listOf(line.choices)[0]);
  if (typeof choice.finish_reason === 'string') answer.finishReason = choice.finish_reason;
  addDelta(answer, recordOf(choice.delta));
  for (const each of listOf(recordOf(choice.logprobs).content)) answer.tokens.push(tokenOf(recordOf(each)));
}

function addDelta(answer: Answer, delta: Record<string, unknown>): void {
  answer.content += textOf(delta.content);
  answer.reasoning += textOf(delta.reasoning ?? delta.reasoning_content);
  for (const each of listOf(delta.tool_calls).map(recordOf)) {
    const { name, arguments: text } = recordOf(each.function);
    const index = numberOf(each.index) ?? 0;
    const before = answer.toolCalls[index] ?? { name: '', arguments: '' };
    answer.toolCalls[index] = { name: before.name + textOf(name), arguments: before.arguments + textOf(text) };
  }
}

function tokenOf({ token, logprob, top_logprobs: top }: Record<string, unknown>): AnswerToken {
  const chosen = { token: textOf(token), logprob: numberOf(logprob) ?? 0 };
  const alternatives = listOf(top).map((each) => {
    const { token: other, logprob: value } = recordOf(each);
    return { token: textOf(other), logprob: numberOf(value) ?? Number.NEGATIVE_INFINITY };
  });
  return { ...chosen, alternatives };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
