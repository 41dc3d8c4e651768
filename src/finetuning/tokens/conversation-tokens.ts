import { generationMarks, markGeneration } from '../../chat/templates/generation-marks.ts';
import { ChatTemplate } from '../../chat/templates/jinja/template.ts';
import type { ChatMessage } from '../../chat/templates/messages.ts';
import { type ServedText, templateFor } from '../../chat/tokenizer/served-text.ts';
import { invalidInput } from '../../util/failures.ts';
import { type AnswerSpan, answerSpans, type RenderMessages, showsCalls } from './answer-spans.ts';
import { checkAnswer, checkContext, showsReasoning } from './check-shown.ts';
import { encodeWithCuts } from './encode-with-cuts.ts';
import { openRenderText } from './rendering.ts';
import { finderOf } from './special-tokens.ts';

/** A conversation as the model reads it. */
type ConversationTokens = {
  ids: number[];
  /** 1 for each token that a trained answer consists of, the token that ends its turn included. */
  isTrained: Uint8Array;
  /** Whether each trained answer is shown with its reasoning, if it has some. */
  showsReasoning: boolean;
  /** The special tokens whose text is in a message. */
  specialTokens: readonly string[];
};

/** Which answers of a conversation are trained. */
type Trained = (message: ChatMessage, index: number) => boolean;

/** Turns a conversation into tokens. @throws Failure, AnswerNotFoundError */
export type TokenizeConversation = (
  messages: readonly ChatMessage[],
  tools: unknown[] | null,
  trained: Trained,
) => ConversationTokens;

/**
 * Renders whole conversations once, as the reference service does. What the model writes is what the template marks as
 * `generation`; without such marks it is found by rendering parts of the conversation.
 */
export function openConversationTokens(text: ServedText, now: Date): TokenizeConversation {
  const render = openRenderText(text, now);
  const markedFor = [false, true].map((hasTools) => markedTemplate(text, hasTools));
  const specialTokensIn = finderOf([...text.tokenizer.specialIds].map((id) => text.tokenizer.tokenOf(id) ?? ''));
  const endings = text.eosIds.map((id) => text.tokenizer.decode([id])).filter((ending) => ending !== '');

  return (messages, tools, trained) => {
    const renderPart: RenderMessages = (part, adds) => render(part, tools, adds);
    const whole = renderPart(messages, false);
    const marked = markedFor[(tools ?? []).length > 0 ? 1 : 0];
    if (!showsCalls(messages, renderPart)) {
      throw invalidInput('The chat template of this model does not show calls of tools.', { param: 'messages' });
    }
    const spans =
      (marked && markedSpans(render(messages, tools, false, marked), whole, messages)) ??
      answerSpans(messages, whole, renderPart, endings);
    const wanted = spans.filter(({ message }) => trained(messages[message]!, message));
    checkContext(messages, renderPart);
    for (const { message, start, end } of wanted) checkAnswer(messages[message]!, message, whole.slice(start, end));
    const learned = wanted.filter(({ start, end }) => start < end);
    const { ids, places } = encodeWithCuts(
      text.tokenizer,
      whole,
      learned.flatMap(({ start, end }) => [start, end]),
    );
    const isTrained = new Uint8Array(ids.length);
    for (const i of learned.keys()) isTrained.fill(1, places[2 * i], places[2 * i + 1]);
    const isWithReasoning = ({ message, start, end }: AnswerSpan) =>
      showsReasoning(messages[message]!, whole.slice(start, end));
    return { ids, isTrained, showsReasoning: learned.every(isWithReasoning), specialTokens: specialTokensIn(messages) };
  };
}

function markedTemplate(text: ServedText, hasTools: boolean): ChatTemplate | null {
  const own = templateFor(text, hasTools);
  const source = own && markGeneration(own.source);
  return source === null ? null : new ChatTemplate(source);
}

/** The spans of a text with marks; null if there is not one for each answer. */
function markedSpans(marked: string, whole: string, messages: readonly ChatMessage[]): AnswerSpan[] | null {
  const { open, close } = generationMarks;
  const pieces = marked.split(new RegExp(`([${open}${close}])`));
  const answers = messages.flatMap(({ role }, index) => (role === 'assistant' ? [index] : []));
  const spans: AnswerSpan[] = [];
  let [text, start] = ['', null as number | null];
  for (const piece of pieces) {
    if (piece === open) start = text.length;
    else if (piece !== close) text += piece;
    else if (start !== null) {
      spans.push({ message: answers[spans.length] ?? -1, start, end: text.length });
      start = null;
    }
  }
  return text === whole && spans.length === answers.length ? spans : null;
}
