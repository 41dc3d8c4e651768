import { isText } from '../../chat/templates/content-kinds.ts';
import type { ChatMessage } from '../../chat/templates/messages.ts';
import { invalidInput } from '../../util/failures.ts';
import { type ReadChoice, readChoice, UntrainableChoiceError, type Vocabulary } from './read-choice.ts';
import { SequenceBuilder, type TokenCounts, type TokenSequence } from './token-sequence.ts';

/** A conversation of a trajectory. Its elements are messages, and choices as a chat completion gave them. */
export type History = { messages_and_choices: unknown[]; tools?: unknown[] | null };

/** What turns conversations into the ids that the model reads. */
export type Rendering = {
  vocabulary: Vocabulary;
  /** The prompt that these messages make, up to where the model answers. @throws Failure */
  promptIds(messages: readonly ChatMessage[], tools: unknown[] | null): number[];
  /** The ids of an assistant message of which no sampled tokens are known, up to its end of turn. @throws Failure */
  answerIds(messages: readonly ChatMessage[], tools: unknown[] | null, promptIds: readonly number[]): number[];
};

type Options = {
  /** Assistant messages without logprobs are also trained, unless their `weight` is 0. */
  trainsWithoutLogprobs: boolean;
  /** Called for each choice that cannot be trained, with the reason. */
  onDropped(reason: string): void;
  /** Called for each choice that is trained, with the id of the call that recorded it. */
  onTrained(callId: string): void;
  /** Called for each choice that was sampled with values other than the neutral ones. */
  onFiltered(filters: string[]): void;
};

/**
 * The tokens of a conversation: for each choice the prompt that it was sampled from, and the sampled tokens. Choices
 * without logprobs and messages are context of later choices.
 */
export function historyTokens(
  { messages_and_choices: elements, tools }: History,
  rendering: Rendering,
  counts: TokenCounts,
  options: Options,
): TokenSequence[] {
  const messages: ChatMessage[] = [];
  const sequences = new SequenceBuilder();
  for (const element of elements) {
    const turn = turnOf(element, rendering.vocabulary, options);
    if (turn.isAnswer) addTurn(turn, messages);
    messages.push(turn.message);
  }
  return sequences.end();

  function addTurn({ message, sampled, promptIds, filters, callId }: ReadChoice, before: ChatMessage[]): void {
    if (sampled && sampled.ids.length === 0) return; // an empty answer has no loss
    if (filters.length > 0) options.onFiltered(filters);
    try {
      if (!before.every(isText))
        throw invalidInput('it follows images or other parts that are not text', { param: 'messages' });
      const prompt = promptIds ?? rendering.promptIds(before, tools ?? null);
      if (sampled) {
        sequences.add(prompt, sampled.ids, sampled.logprobs);
        counts[sampled.isExact ? 'exact' : 'reconstructed'] += sampled.ids.length;
      } else {
        const ids = rendering.answerIds([...before, message], tools ?? null, prompt);
        sequences.add(prompt, ids, new Array(ids.length).fill(Number.NaN));
        counts.reconstructed += ids.length;
      }
      if (promptIds === null) counts.promptsReconstructed++;
      if (callId !== null) options.onTrained(callId);
    } catch (error) {
      options.onDropped((error as Error).message);
    }
  }
}

type Turn = ReadChoice & { isAnswer: boolean };

/** An element as a message, with the tokens that are trained, if any are. */
function turnOf(element: unknown, vocabulary: Vocabulary, { trainsWithoutLogprobs, onDropped }: Options): Turn {
  const nothing = { sampled: null, promptIds: null, filters: [], callId: null, isAnswer: false };
  const context = (message: ChatMessage): Turn => ({ message, ...nothing });
  if (!isChoice(element)) {
    const message = element as ChatMessage;
    const isAnswer = message.role === 'assistant' && trainsWithoutLogprobs && message.weight !== 0;
    return { ...context(message), isAnswer };
  }
  try {
    const choice = readChoice(element, vocabulary);
    return { ...choice, isAnswer: choice.sampled !== null || trainsWithoutLogprobs };
  } catch (error) {
    if (!(error instanceof UntrainableChoiceError)) throw error;
    onDropped(error.message);
    return context({ role: 'assistant', ...(element.message as object) });
  }
}

function isChoice(element: unknown): element is { message: unknown } {
  const { message } = element as { message?: unknown };
  return typeof message === 'object' && message !== null;
}
