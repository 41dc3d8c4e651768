/** A choice of a chat completion as clients send it back, with the keys that the server added to it. */
type WireChoice = {
  message: Record<string, unknown>;
  logprobs?: { content?: unknown; refusal?: unknown } | null;
  token_ids?: unknown;
  prompt_token_ids?: unknown;
  sampling?: unknown;
  call_id?: unknown;
};

type WireToken = { token?: unknown; logprob?: unknown; bytes?: unknown };

/** The tokens of a choice, as far as they are known by their ids. */
export type ReadChoice = {
  /** What the template is given where the choice is the context of later ones. */
  message: { role: string } & Record<string, unknown>;
  /** The ids of the sampled tokens, and how each was found; null without logprobs: then it is context only. */
  sampled: SampledTokens | null;
  /** The ids of the prompt that it was sampled from; null where the client has not kept them. */
  promptIds: number[] | null;
  /** Sampling values such as `top_p=0.9`, with which the samples are not those of the policy. */
  filters: string[];
  /** The call that recorded its chat; null where that is not known. */
  callId: string | null;
};

type SampledTokens = {
  ids: number[];
  /** Of the tokens when they were sampled; NaN where the client has not kept one. */
  logprobs: number[];
  /** Whether the ids are the sampler's own, rather than looked up by bytes or strings. */
  isExact: boolean;
};

/** A choice whose tokens are not known: one has no id in the vocabulary, or their number is not that of the logprobs. */
export class UntrainableChoiceError extends Error {}

/** Tokens by their bytes and by their spelling in the vocabulary. */
export type Vocabulary = {
  size: number;
  idOfBytes(bytes: Uint8Array): number | undefined;
  idOfToken(token: string): number | undefined;
};

/**
 * Reads a choice. Its ids are those of `token_ids`; else the numbers in tokens such as `token_id:12`; else the one id
 * with a token's `bytes`, or with its string.
 * @throws UntrainableChoiceError
 */
export function readChoice(value: unknown, vocabulary: Vocabulary): ReadChoice {
  const choice = value as WireChoice;
  const { content, tool_calls: toolCalls, reasoning, reasoning_content: reasoningContent } = choice.message;
  const message = {
    role: 'assistant',
    content: content ?? '',
    ...(Array.isArray(toolCalls) && toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
    ...(typeof (reasoning ?? reasoningContent) === 'string' ? { reasoning: reasoning ?? reasoningContent } : {}),
  };
  return {
    message,
    sampled: sampledTokens(choice, vocabulary),
    promptIds: idsOf(choice.prompt_token_ids, vocabulary),
    filters: filtersOf(choice.sampling),
    callId: typeof choice.call_id === 'string' ? choice.call_id : null,
  };
}

function sampledTokens({ logprobs, token_ids: given }: WireChoice, vocabulary: Vocabulary): SampledTokens | null {
  if (typeof logprobs !== 'object' || logprobs === null) return null;
  const entries = entriesOf(logprobs);
  const values = entries.map(({ logprob }) => (typeof logprob === 'number' ? logprob : Number.NaN));
  const own = idsOf(given, vocabulary);
  if (own && own.length !== entries.length) {
    throw new UntrainableChoiceError(`it has ${own.length} token ids and ${entries.length} logprobs`);
  }
  if (own) return { ids: own, logprobs: values, isExact: true };
  const numbers = entries.map(({ token }) => /^token_id:(\d+)$/.exec(String(token))?.[1]);
  if (numbers.length > 0 && numbers.every((each) => each !== undefined)) {
    const ids = idsOf(numbers.map(Number), vocabulary);
    if (ids) return { ids, logprobs: values, isExact: true };
  }
  return { ids: entries.map((entry) => idOf(entry, vocabulary)), logprobs: values, isExact: entries.length === 0 };
}

function entriesOf({ content, refusal }: { content?: unknown; refusal?: unknown }): WireToken[] {
  const isFilled = (list: unknown) => Array.isArray(list) && list.length > 0;
  const found = isFilled(content) ? content : isFilled(refusal) ? refusal : [];
  return (found as unknown[]).map((entry) => (typeof entry === 'object' && entry !== null ? entry : {}));
}

function idsOf(value: unknown, { size }: Vocabulary): number[] | null {
  if (!Array.isArray(value)) return null;
  return value.every((id) => Number.isInteger(id) && id >= 0 && id < size) ? (value as number[]) : null;
}

function filtersOf(sampling: unknown): string[] {
  if (typeof sampling !== 'object' || sampling === null) return [];
  return Object.entries(sampling).map(([name, value]) => `${name}=${value}`);
}

function idOf({ token, bytes }: WireToken, vocabulary: Vocabulary): number {
  const isBytes = Array.isArray(bytes) && bytes.length > 0 && bytes.every((byte) => Number.isInteger(byte));
  const id =
    (isBytes ? vocabulary.idOfBytes(Uint8Array.from(bytes as number[])) : undefined) ??
    (typeof token === 'string' ? vocabulary.idOfToken(token) : undefined);
  if (id !== undefined) return id;
  throw new UntrainableChoiceError(`the vocabulary has no token ${JSON.stringify(token ?? bytes)}`);
}
