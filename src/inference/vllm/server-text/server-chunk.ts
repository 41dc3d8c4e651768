import type { OutputDelta } from '../../../chat/output/deltas.ts';
import type { LogprobEntry } from '../../../chat/output/logprob-entries.ts';
import type { Finish } from '../../../engine/sampling/finish.ts';
import { logprobMin } from '../../../engine/sampling/logprobs.ts';
import { finishOfServer } from '../engine/read-tokens.ts';
import type { ChatAnswer, ChatChunk, CompletionChunk, WirePromptLogprobs } from '../servers/wire.ts';

/** A piece of an answer, or all of it, whichever endpoint it is from. */
export type ServerChunk = {
  promptIds: readonly number[] | null;
  promptLogprobs: WirePromptLogprobs | null;
  choices: ServerChoice[];
  /** The generated tokens of all choices, as the server counts them at the end. */
  tokens: number | null;
  /** How many tokens of the prompt it had cached, if it reports that at the end. */
  cachedTokens: number;
};

type ServerChoice = {
  index: number;
  ids: readonly number[];
  logprobs: LogprobEntry[];
  deltas: OutputDelta[];
  finish: Finish | null;
};

type ChatChoice = Omit<ChatChunk['choices'][number], 'delta'>;
type ChatMessage = ChatChunk['choices'][number]['delta'];

export function ofChatChunk({ choices, ...about }: ChatChunk): ServerChunk {
  return chatChunk(
    about,
    choices.map(({ delta, ...choice }) => chatChoice(choice, delta)),
  );
}

export function ofChatAnswer({ choices, ...about }: ChatAnswer): ServerChunk {
  return chatChunk(
    about,
    choices.map(({ message, ...choice }) => chatChoice(choice, message)),
  );
}

export function ofCompletion({ choices, usage }: CompletionChunk): ServerChunk {
  return {
    promptIds: choices[0]?.prompt_token_ids ?? null,
    promptLogprobs: choices[0]?.prompt_logprobs ?? null,
    choices: choices.map((choice) => ({
      index: choice.index,
      ids: choice.token_ids ?? [],
      logprobs: textEntries(choice.logprobs),
      deltas: textDeltas('content', choice.text),
      finish: finishOfServer(choice, null),
    })),
    tokens: usage?.completion_tokens ?? null,
    cachedTokens: cachedIn(usage),
  };
}

function cachedIn(usage: CompletionChunk['usage']): number {
  return usage?.prompt_tokens_details?.cached_tokens ?? 0;
}

function chatChunk(about: Omit<ChatChunk, 'choices'>, choices: ServerChoice[]): ServerChunk {
  return {
    promptIds: about.prompt_token_ids ?? null,
    promptLogprobs: about.prompt_logprobs ?? null,
    choices,
    tokens: about.usage?.completion_tokens ?? null,
    cachedTokens: cachedIn(about.usage),
  };
}

function chatChoice(choice: ChatChoice, message: ChatMessage): ServerChoice {
  const { finish_reason: reason, stop_reason } = choice;
  const calls = (message.tool_calls ?? []).map(({ index, id, function: called }, i) => ({
    kind: 'tool_call' as const,
    index: index ?? i,
    ...(id == null ? {} : { id }),
    ...(called?.name == null ? {} : { name: called.name }),
    arguments: called?.arguments ?? '',
  }));
  return {
    index: choice.index,
    ids: choice.token_ids ?? [],
    logprobs: (choice.logprobs?.content ?? []).map((entry) => ({
      ...withBytes(entry),
      top_logprobs: entry.top_logprobs.map(withBytes).sort((a, b) => b.logprob - a.logprob),
    })),
    deltas: [
      ...textDeltas('reasoning', message.reasoning ?? message.reasoning_content),
      ...textDeltas('content', message.content),
      ...calls,
    ],
    // Whether there are calls is found in the answer: servers say it of some requests only.
    finish: finishOfServer({ finish_reason: reason === 'tool_calls' ? 'stop' : reason, stop_reason }, null),
  };
}

function textDeltas(kind: 'content' | 'reasoning', text: string | null | undefined): OutputDelta[] {
  return text ? [{ kind, text }] : [];
}

type Entry = { token: string; logprob: number; bytes?: number[] | null | undefined };

function withBytes({ token, logprob, bytes }: Entry) {
  return { token, logprob, bytes: bytes ?? bytesOf(token) };
}

function textEntries(logprobs: CompletionChunk['choices'][number]['logprobs']): LogprobEntry[] {
  if (!logprobs) return [];
  return logprobs.tokens.map((token, i) => {
    const top = Object.entries(logprobs.top_logprobs?.[i] ?? {}).map(([other, logprob]) => ({
      ...{ token: other, logprob, bytes: bytesOf(other) },
    }));
    const logprob = logprobs.token_logprobs[i] ?? logprobMin;
    return { token, logprob, bytes: bytesOf(token), top_logprobs: top.sort((a, b) => b.logprob - a.logprob) };
  });
}

/** Of a token that is written as text. Those of an id are not known. */
function bytesOf(token: string): number[] {
  return token.startsWith('token_id:') ? [] : [...Buffer.from(token)];
}
