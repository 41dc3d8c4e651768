import { filtersOf } from '../../chat/answers/answer.ts';
import { isText } from '../../chat/templates/content-kinds.ts';
import type { ChatMessage } from '../../chat/templates/messages.ts';
import type { FoundCall } from '../../domain/calls/found-call.ts';
import { isObject, ownMember } from '../../util/json/own-member.ts';
import { parsePlain } from '../../util/json/parse.ts';

/** A chat as a call recorded it, whoever traced it. */
export type CallChat = {
  messages: ChatMessage[];
  tools: unknown[] | null;
  /** The answer as a choice of a chat completion, with its tokens and logprobs if they were recorded. */
  choice: Record<string, unknown> & { message: Record<string, unknown> };
  /** The name of the model that answered; null where it is not recorded. */
  model: string | null;
  /** The id of the completion, which all records of one request share; null where it is not recorded. */
  completionId: string | null;
};

type Recorded = Pick<FoundCall, 'id' | 'inputs' | 'output' | 'attributes' | 'exception' | 'endedAt'>;

/** Reads the chat of a call, in the form of heddle, of the SDKs or of spans. @returns why it cannot be trained if it is none */
export function chatOfCall(call: Recorded): CallChat | { fault: string } {
  if (call.exception !== '') return { fault: 'it failed' };
  if (call.endedAt === null) return { fault: 'it has not ended' };
  const [inputs, output, attributes] = [call.inputs, call.output || 'null', call.attributes].map((text) =>
    parsePlain(text),
  );
  const messages = messagesIn(inputs);
  if (!messages) return { fault: 'it is not a chat: its inputs have no messages' };
  if (!messages.every(isText)) return { fault: 'its messages have images or other parts that are not text' };
  const choices = choicesIn(output);
  if (choices.length === 0) return { fault: 'it is not a chat: its output has no answer' };
  if (choices.length > 1) return { fault: 'it has several choices, and nothing says which one counts' };
  const { finish_reason: finish } = choices[0]!;
  if (finish === 'abort') return { fault: 'its answer was cut off' };
  const heddle = ownMember(attributes, 'heddle');
  const tools = ownMember(inputs, 'tools');
  const choice = { ...choices[0]!, finish_reason: finish ?? 'stop', call_id: call.id };
  return {
    messages: withSystem(inputs, messages),
    tools: Array.isArray(tools) && tools.length > 0 ? tools : null,
    choice: { ...samplingOf(heddle), prompt_token_ids: ownMember(output, 'prompt_token_ids'), ...withoutNulls(choice) },
    model: textOf(
      ownMember(ownMember(heddle, 'model'), 'name'),
      ownMember(inputs, 'model'),
      ownMember(output, 'model'),
    ),
    completionId: textOf(ownMember(output, 'id')),
  };
}

type Choice = Record<string, unknown> & { message: Record<string, unknown> };

/** Choices of a completion, or one for the answer that an output is or ends with. */
function choicesIn(output: unknown): Choice[] {
  const choices = ownMember(output, 'choices');
  if (Array.isArray(choices)) return choices.filter((each): each is Choice => isObject(ownMember(each, 'message')));
  const answer = isAnswer(output) ? output : messagesIn(output)?.at(-1);
  return isAnswer(answer) ? [{ message: answer }] : [];
}

function isAnswer(value: unknown): value is ChatMessage {
  return isMessage(value) && value.role === 'assistant' && ('content' in value || 'tool_calls' in value);
}

/** The messages that a value has below `messages`, below any other key, or that it is. */
function messagesIn(value: unknown): ChatMessage[] | null {
  if (areMessages(value)) return value;
  if (!isObject(value)) return null;
  const { messages } = value;
  if (areMessages(messages)) return messages;
  return Object.values(value).find(areMessages) ?? null;
}

function areMessages(value: unknown): value is ChatMessage[] {
  return Array.isArray(value) && value.length > 0 && value.every(isMessage);
}

function isMessage(value: unknown): value is ChatMessage {
  return isObject(value) && typeof value.role === 'string';
}

/** Some providers take the system message apart from the others. */
function withSystem(inputs: unknown, messages: ChatMessage[]): ChatMessage[] {
  const system = ownMember(inputs, 'system');
  if (typeof system !== 'string' || system === '' || messages[0]!.role === 'system') return messages;
  return [{ role: 'system', content: system }, ...messages];
}

/** Whole chats of heddle have the values used; choices say only those that are not neutral. */
function samplingOf(heddle: unknown): { sampling?: Record<string, number> } {
  const used = ownMember(heddle, 'sampling');
  if (!isObject(used)) return {};
  const value = (name: string, neutral: number) => (typeof used[name] === 'number' ? used[name] : neutral);
  return filtersOf({
    temperature: value('temperature', 1),
    top_p: value('top_p', 1),
    top_k: value('top_k', 0),
    min_p: value('min_p', 0),
    frequency_penalty: value('frequency_penalty', 0),
    presence_penalty: value('presence_penalty', 0),
    repetition_penalty: value('repetition_penalty', 1),
  });
}

function withoutNulls<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null)) as Value;
}

function textOf(...values: unknown[]): string | null {
  return values.find((each): each is string => typeof each === 'string' && each !== '') ?? null;
}

/** Whether the answer has the logprobs of its tokens. */
export function hasLogprobs({ choice }: CallChat): boolean {
  const content = ownMember(choice.logprobs, 'content');
  return Array.isArray(content) && content.length > 0;
}

/**
 * The chat as the messages of a trajectory, with no more of each token than training needs. Earlier answers of the
 * assistant are context, whatever the job trains.
 * @param keepsTokens false where the tokens are those of another vocabulary
 */
export function historyOfChat({ messages, tools, choice }: CallChat, keepsTokens: boolean) {
  const context = messages.map((each) => (each.role === 'assistant' ? { ...each, weight: 0 } : each));
  const { message, finish_reason, call_id } = choice;
  const answer = keepsTokens ? withSlimTokens(choice) : { message, finish_reason, call_id };
  return { messages_and_choices: [...context, answer], tools };
}

function withSlimTokens(choice: CallChat['choice']) {
  const { message, finish_reason, call_id, token_ids, prompt_token_ids, sampling } = choice;
  const entries = ownMember(choice.logprobs, 'content') as Record<string, unknown>[];
  const content = entries.map(({ token, bytes, logprob }) => (token_ids ? { logprob } : { token, bytes, logprob }));
  return { message, finish_reason, call_id, token_ids, prompt_token_ids, sampling, logprobs: { content } };
}
