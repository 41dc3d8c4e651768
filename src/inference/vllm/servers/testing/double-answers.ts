import { createHash } from 'node:crypto';

/** A request for completions or a chat, as far as the double reads it. */
export type DoubleRequest = {
  model: string;
  prompt?: number[] | string;
  messages?: unknown[];
  max_tokens?: number | null;
  n?: number;
  seed?: number;
  temperature?: number;
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
  /** In chats, whether there are any. */
  logprobs?: number | boolean | null;
  top_logprobs?: number;
  prompt_logprobs?: number | null;
  return_token_ids?: boolean;
  return_tokens_as_token_ids?: boolean;
  stop_token_ids?: number[];
  structured_outputs?: { choice?: string[] };
  tool_choice?: unknown;
};

export type DoubleToken = { id: number; text: string; logprob: number };

/** What a token, or several, add to a chat. */
export type DoublePiece = { ids: number[]; delta: Record<string, unknown> };

/** The end of a text. */
const endId = 2;
const vocabulary = 1000;

export function promptIdsOf({ prompt, messages }: DoubleRequest): number[] {
  if (Array.isArray(prompt)) return prompt;
  return [...(prompt ?? JSON.stringify(messages))].map((character) => character.codePointAt(0)! % vocabulary);
}

/** Ids of printable characters are these characters. */
export function textOf(id: number): string {
  if (id === endId) return '';
  return id >= 32 && id < 127 ? String.fromCodePoint(id) : ` t${id}`;
}

/** The tokens of a choice: by the model, the prompt, the seed and the number of the choice alone. */
export function tokensOf(request: DoubleRequest, choice: number, scripted: number[] | undefined): DoubleToken[] {
  const { model, seed = 0, stop_token_ids = [], structured_outputs } = request;
  const max_tokens = request.max_tokens ?? 16;
  const key = `${model} ${seed} ${choice} ${promptIdsOf(request)}`;
  const chosen = structured_outputs?.choice?.[0];
  const given = scripted ?? (chosen === undefined ? undefined : [...promptIdsOf({ model, prompt: chosen }), endId]);
  const ids =
    given ?? Array.from({ length: max_tokens }, (_, i) => 127 + (numberOf(`${key} ${i}`) % (vocabulary - 127)));
  const end = ids.findIndex((id) => id === endId || stop_token_ids.includes(id));
  const kept = ids.slice(0, Math.min(max_tokens, end === -1 ? ids.length : end + 1));
  return kept.map((id, i) => ({ id, text: textOf(id), logprob: -(1 + (numberOf(`${key} ${i} ${id}`) % 1000)) / 1000 }));
}

/** The tokens of pieces, which are the tokens of a choice. */
export function tokensOfPieces(pieces: readonly DoublePiece[]): DoubleToken[] {
  const ids = pieces.flatMap((piece) => piece.ids);
  return ids.map((id, i) => ({ id, text: textOf(id), logprob: -(1 + (numberOf(`${i} ${id}`) % 1000)) / 1000 }));
}

/** Without a script, each token is a piece of text. */
export function piecesOf(tokens: readonly DoubleToken[]): DoublePiece[] {
  return tokens.map(({ id, text }) => ({ ids: [id], delta: { content: text } }));
}

/** Pieces as one message. */
export function messageOf(pieces: readonly DoublePiece[]): Record<string, unknown> {
  const text = (name: string) => pieces.map(({ delta }) => delta[name] ?? '').join('');
  const calls = pieces.flatMap(({ delta }) => (delta.tool_calls ?? []) as DoubleCall[]);
  const whole = calls.filter(({ id }) => id !== undefined);
  return {
    ...{ role: 'assistant', content: text('content') },
    ...(text('reasoning') === '' ? {} : { reasoning: text('reasoning') }),
    ...(whole.length === 0 ? {} : { tool_calls: whole.map((call) => wholeCall(call, calls)) }),
  };
}

type DoubleCall = { index: number; id?: string; function: { name?: string; arguments: string } };

function wholeCall({ index, id, function: { name } }: DoubleCall, calls: readonly DoubleCall[]): object {
  const args = calls.filter((call) => call.index === index).map((call) => call.function.arguments);
  return { id, type: 'function', function: { name, arguments: args.join('') } };
}

/** The alternatives of a token, itself among them, with a token as the request wants it written. */
export function topOf(
  { id, logprob }: DoubleToken,
  count: number,
  write: (id: number) => string,
): Record<string, number> {
  const others = Array.from({ length: Math.max(count - 1, 0) }, (_, i) => [write(130 + i), logprob - 1 - i] as const);
  return Object.fromEntries([[write(id), logprob], ...others]);
}

export function finishOf(request: DoubleRequest, tokens: DoubleToken[]) {
  const last = tokens.at(-1)?.id;
  const isStop = last !== undefined && request.stop_token_ids?.includes(last);
  return {
    finish_reason: last === endId || isStop ? 'stop' : 'length',
    stop_reason: isStop && last !== endId ? last : null,
  };
}

function numberOf(key: string): number {
  return createHash('sha256').update(key).digest().readUInt32LE();
}
