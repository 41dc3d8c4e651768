/** What the provider bills for one request. `input` contains the cached tokens, `output` the tokens of reasoning. */
export type Billed = {
  responseId: string;
  model: string;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  reasoning: number;
};

/** The bodies of requests, which are read as they come: libraries differ in what they send. */
// biome-ignore lint/suspicious/noExplicitAny: the shapes are those of three APIs, and only a few members are looked at
export type Body = any;

/** One API of a provider. `answer` takes the request, its number since the bill was last taken, and its path. */
export type Dialect = {
  path: string;
  /** Whether this path always streams; elsewhere the body says so. */
  isStream?: boolean;
  answer(body: Body, number: number, path: string): { answer: object; events: string[]; billed: Billed };
};

/** What an API's request says of the conversation, in the same words for all of them. */
export type Conversation = { texts: string[]; answers: number; messages: number; tools: string[] };

/** What the model does next: calls a tool of this name, or says a text. */
export type Move = { tool: string; city: string } | { text: string };

/**
 * The play is the same for every library: the first tool is called and answers, the second is called and fails, then the
 * model answers. A question about tomorrow is answered at once.
 */
export function nextMove({ texts, answers, tools }: Conversation): Move {
  const isTomorrow = texts.some((text) => text.includes('tomorrow'));
  const [first, second = first] = tools.filter((name) => name !== finalAnswer);
  if (!isTomorrow && answers === 0 && first) return { tool: first, city: 'Paris' };
  if (!isTomorrow && answers === 1 && second) return { tool: second, city: 'Paris' };
  if (tools.includes(finalAnswer)) return { tool: finalAnswer, city: '' };
  return { text: isTomorrow ? 'Tomorrow it rains in Paris.' : 'It is sunny in Paris.' };
}

/** The tool by which smolagents ends. */
export const finalAnswer = 'final_answer';

export function argumentsOf({ tool, city }: Extract<Move, { tool: string }>): object {
  return tool === finalAnswer ? { answer: 'It is sunny in Paris.' } : { city };
}

/** Counts that differ from request to request, so that a sum shows which of them it holds. */
export function billFor({ messages }: Conversation, model: string, number: number, idPrefix: string): Billed {
  return {
    responseId: `${idPrefix}${number}`,
    model,
    input: 1000 + 100 * messages + number,
    output: 50 + 10 * messages + number,
    cacheRead: 400 + messages,
    cacheWrite: 0,
    reasoning: 20 + messages,
  };
}

export function sse(data: object | string, event?: string): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`;
}
