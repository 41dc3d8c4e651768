import { type LosslessJson, type LosslessObject, stringifyLossless } from '../../util/json/lossless.ts';
import type { Conversation, Media, Message, Part } from './conversation.ts';
import { mediaIn, type PlacedMedia } from './find-media.ts';
import { type OfferedTool, offeredTools } from './offered-tools.ts';
import { type ConversationSource, conversationIn, parsed } from './read-conversation.ts';
import { readRequest } from './requests.ts';
import { memberOf, textAt } from './values.ts';

/**
 * The conversation of a call as clients see it, as JSON text without its braces: `conversation`, which may be null, and
 * `media`, which the conversation does not show. Numbers have the digits that were sent.
 */
export function conversationMembers(call: ConversationSource): string {
  const [inputs, output] = [parsed(call.inputs), parsed(call.output)];
  const conversation = conversationIn(inputs, output, call);
  const tools = conversation?.isChat ? offeredTools(inputs, parsed(call.attributes), parsed(call.span)) : [];
  return membersOf(conversation, [...mediaIn(inputs, 'inputs'), ...mediaIn(output, 'output')], tools);
}

/** The same of a published prompt, or of a completion model, whose template is a prompt. */
export function promptMembers(value: string): string {
  const object = parsed(value);
  const asked = object instanceof Map ? readRequest(promptIn(object)) : null;
  const conversation = asked && { input: asked.messages, output: [], isChat: true };
  return membersOf(conversation, mediaIn(object, 'val'));
}

/** SDKs store the text of a prompt as `content`, and its messages as `messages` or, formerly, `data`. */
function promptIn(object: LosslessObject): LosslessJson | undefined {
  if (isPrompt(object)) return memberOf(object, 'messages', 'content', 'data');
  const parameters = object.get('default_params');
  return parameters instanceof Map ? memberOf(parameters, 'messages_template') : undefined;
}

function isPrompt(object: LosslessObject): boolean {
  const bases = object.get('_bases');
  return /Prompt$/.test(textAt(object, '_class_name') ?? '') || (Array.isArray(bases) && bases.includes('Prompt'));
}

function membersOf(conversation: Conversation | null, found: PlacedMedia[], tools: OfferedTool[] = []): string {
  const shown = new Set(
    [...(conversation?.input ?? []), ...(conversation?.output ?? [])].flatMap(({ parts }) => parts.map(contentOf)),
  );
  const others = found.filter(({ media }) => !shown.has(contentOf(media)));
  const messages = (list: Message[]) => `[${list.map(messageJson).join(',')}]`;
  const whole =
    conversation === null
      ? 'null'
      : `{"input":${messages(conversation.input)},"output":${messages(conversation.output)},"is_chat":${conversation.isChat},"tools":[${tools.map(toolJson).join(',')}]}`;
  return `"conversation":${whole},"media":[${others.map(placedJson).join(',')}]`;
}

function contentOf(part: Part | Media): string | null {
  return 'url' in part ? (part.digest ?? part.url?.slice(part.url.indexOf(',') + 1) ?? null) : null;
}

function messageJson({ role, name, choice, parts }: Message): string {
  return `{"role":${JSON.stringify(role)},"name":${JSON.stringify(name)},"choice":${choice},"parts":[${parts.map(partJson).join(',')}]}`;
}

function partJson(part: Part): string {
  switch (part.type) {
    case 'text':
    case 'reasoning':
    case 'refusal':
      return JSON.stringify(part);
    case 'tool_call':
      return `{"type":"tool_call","id":${JSON.stringify(part.id)},"name":${JSON.stringify(part.name)},"arguments":${stringifyLossless(part.arguments)}}`;
    case 'tool_result':
      return `{"type":"tool_result","id":${JSON.stringify(part.id)},"name":${JSON.stringify(part.name)},"result":${stringifyLossless(part.result)}}`;
    case 'json':
      return `{"type":"json","value":${stringifyLossless(part.value)}}`;
    default:
      return JSON.stringify(mediaFields(part));
  }
}

function toolJson({ name, description, parameters }: OfferedTool): string {
  return `{"name":${JSON.stringify(name)},"description":${JSON.stringify(description)},"parameters":${stringifyLossless(parameters)}}`;
}

function placedJson({ path, media }: PlacedMedia): string {
  return JSON.stringify({ path, media: mediaFields(media) });
}

function mediaFields({ type, url, mimeType, name, digest, bytes }: Media): object {
  return { type, url, mime_type: mimeType, name, digest, bytes };
}
