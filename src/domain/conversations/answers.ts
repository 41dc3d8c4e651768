import type { LosslessJson, LosslessObject } from '../../util/json/lossless.ts';
import { type Message, message, type Part, textPart } from './conversation.ts';
import { langChainMembers } from './langchain.ts';
import { mediaOf } from './media.ts';
import { messagesIn, messagesOf } from './messages.ts';
import { partsOf, reasoningParts } from './parts.ts';
import { streamedAnswer } from './streams.ts';
import { toolCall } from './tools.ts';
import { listOf, memberOf, objectOf, opened, textAt, unquoted } from './values.ts';

/** What was answered. `isText` says that it is a text, which need not be a message. */
export type Answered = { messages: Message[]; isText: boolean };

/** The messages of a model's answer, or of what contains one. Null if there are none. */
export function readAnswer(value: LosslessJson | undefined, depth = 0): Answered | null {
  const sent = opened(typeof value === 'string' ? unquoted(value) : value);
  if (sent === undefined || sent === null || depth > depthMax) return null;
  if (typeof sent === 'string')
    return sent === '' ? null : { messages: [message('assistant', partsOf(sent))], isText: true };
  if (Array.isArray(sent))
    return (
      fromMessages(streamedAnswer(sent) ?? messagesOf(sent)) ??
      (sent.length === 1 ? readAnswer(sent[0], depth + 1) : null)
    );
  return sent instanceof Map
    ? readObject(langChainMembers(sent) && !messagesIn(sent) ? langChainMembers(sent)! : sent, depth)
    : null;
}

const depthMax = 6;

function fromMessages(messages: Message[] | null): Answered | null {
  return messages && messages.length > 0 ? { messages, isText: false } : null;
}

function readObject(sent: LosslessObject, depth: number): Answered | null {
  const read =
    choicesOf(sent) ??
    candidatesOf(sent) ??
    generationsOf(sent) ??
    messagesOf(memberOf(sent, 'output', 'messages')) ??
    messagesIn(sent) ??
    contentOf(sent) ??
    vercelAnswer(sent) ??
    generatedImages(sent);
  if (read?.length) return fromMessages(read);
  const rest = [...sent].filter(([name, value]) => value !== null && !aside.has(name));
  if (rest.length === 1) return readAnswer(rest[0]![1], depth + 1);
  for (const name of wrapperKeys) {
    const inner = sent.get(name);
    const answered = inner === undefined || inner === null ? null : readAnswer(inner, depth + 1);
    if (answered && (!answered.isText || textKeys.has(name))) return answered;
  }
  return null;
}

/** Members that say how the answer came about. */
const aside = new Set([
  'usage',
  'usage_metadata',
  'model',
  'id',
  'created',
  'timestamp',
  'metadata',
  'response_metadata',
  'finish_reason',
]);
/** Members that may contain the whole answer. */
const wrapperKeys = [
  ...['output.value', 'llm.output_messages', 'gen_ai.output.messages', 'events', 'gen_ai.completion', 'response'],
  ...['response_data', 'message', 'outputs', 'output', 'result', 'results', 'answer', 'completion', 'content', 'text'],
  ...[
    'llm_response',
    'gcp.vertex.agent.llm_response',
    'data',
    'final_result',
    'final_output',
    'final_answer',
    'messages',
  ],
  'combined_chunk_content', // Logfire's name for what was streamed
];
/** Those of them that are an answer also as a text. */
const textKeys = new Set([
  ...['output.value', 'response', 'output', 'result', 'answer', 'completion', 'content', 'text', 'final_result'],
  ...['final_output', 'final_answer', 'combined_chunk_content'],
]);

/** OpenAI's chat completions and completions, each choice as a message. */
function choicesOf(sent: LosslessObject): Message[] | null {
  const choices = listOf(sent.get('choices'))?.flatMap((each) => objectOf(each) ?? []);
  if (!choices?.length) return null;
  return numbered(
    choices.map((choice) => {
      const whole = memberOf(choice, 'message', 'delta');
      const messages = messagesIn(whole) ?? messagesIn(asAssistant(objectOf(whole)));
      const text = textAt(choice, 'text');
      return messages ?? (text === null ? [] : [message('assistant', [textPart(text)])]);
    }),
  );
}

function asAssistant(sent: LosslessObject | null): LosslessObject | undefined {
  return sent && !sent.has('role') ? new Map<string, LosslessJson>([['role', 'assistant'], ...sent]) : undefined;
}

/** Gemini's answer, each candidate as a message. */
function candidatesOf(sent: LosslessObject): Message[] | null {
  const candidates = listOf(sent.get('candidates'))?.flatMap((each) => objectOf(each) ?? []);
  if (!candidates?.length) return null;
  return numbered(candidates.map((candidate) => contentOf(candidate) ?? []));
}

/** What LangChain calls an answer: `generations`, a list for each prompt. */
function generationsOf(sent: LosslessObject): Message[] | null {
  const generations = listOf(sent.get('generations'))?.flatMap((each) => listOf(each) ?? [each]);
  if (!generations?.length) return null;
  return numbered(
    generations.map((each) => {
      const generation = objectOf(each);
      const inner = generation && (langChainMembers(generation) ?? generation);
      const messages = messagesIn(memberOf(inner, 'message'));
      const text = textAt(inner, 'text');
      return messages ?? (text === null ? [] : [message('assistant', [textPart(text)])]);
    }),
  );
}

/** Several choices have numbers. */
function numbered(choices: Message[][]): Message[] {
  if (choices.length < 2) return choices.flat();
  return choices.flatMap((messages, choice) => messages.map((each) => ({ ...each, choice })));
}

/** Content with its parts but without a role beside it: of Gemini's candidates, of Bedrock, of ADK. */
function contentOf(sent: LosslessObject): Message[] | null {
  const content = opened(sent.get('content'));
  if (content instanceof Map && (content.has('parts') || content.has('role'))) {
    return messagesIn(content.has('role') ? content : asAssistant(content));
  }
  const isBlocks = Array.isArray(content) && content.length > 0 && content.every((each) => objectOf(each)?.has('type'));
  return isBlocks ? [message('assistant', partsOf(content))] : null;
}

/** The answer of Vercel's SDK has a member for each kind of part. */
function vercelAnswer(sent: LosslessObject): Message[] | null {
  const calls = listOf(memberOf(sent, 'toolCalls', 'tool_calls'))?.flatMap((each) => objectOf(each) ?? []) ?? [];
  const files = listOf(sent.get('files'))?.flatMap((each) => objectOf(each) ?? []) ?? [];
  const object = sent.get('object');
  const reasoning = memberOf(sent, 'reasoning', 'reasoningText');
  const text = textAt(sent, 'text');
  const isAnswer = calls.length > 0 || files.length > 0 || (text !== null && reasoning !== undefined);
  if (!isAnswer && !sent.has('finishReason') && !sent.has('finish_reason')) return null;
  const parts: Part[] = [
    ...reasoningParts(reasoning),
    ...(text === null ? [] : [textPart(text)]),
    ...files.flatMap((file) => mediaOf(file, 'file') ?? []),
    ...(object === undefined || typeof object === 'boolean' ? [] : [{ type: 'json' as const, value: opened(object)! }]),
    ...calls.map(toolCall),
  ];
  return parts.length === 0 ? null : [message('assistant', parts)];
}

/** The answer of an endpoint that makes images. */
function generatedImages(sent: LosslessObject): Message[] | null {
  const images = listOf(sent.get('data'))?.flatMap((each) => {
    const image = objectOf(each);
    return image && (image.has('b64_json') || image.has('url')) ? (mediaOf(image, 'image') ?? []) : [];
  });
  return images?.length ? [message('assistant', images)] : null;
}
