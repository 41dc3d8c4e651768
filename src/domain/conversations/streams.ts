import type { LosslessJson, LosslessObject } from '../../util/json/lossless.ts';
import { type Message, message, type Part, textPart } from './conversation.ts';
import { messagesOf } from './messages.ts';
import { partsOf, reasoningParts } from './parts.ts';
import { toolCall } from './tools.ts';
import { listOf, memberOf, objectOf, textAt } from './values.ts';

/** The pieces of a streamed answer as whole messages; null for a list of other things. */
export function streamedAnswer(list: LosslessJson[]): Message[] | null {
  if (list.length === 0) return null;
  if (list.every((each) => typeof each === 'string'))
    return list.length > 1 ? [message('assistant', [textPart(list.join(''))])] : null;
  const pieces = list.flatMap((each) => objectOf(each) ?? []);
  if (pieces.length !== list.length) return null;
  if (pieces.every((piece) => listOf(piece.get('choices')) !== null)) return chatChunks(pieces);
  if (pieces.every((piece) => listOf(piece.get('candidates')) !== null)) return geminiChunks(pieces);
  if (pieces.some((piece) => /^content_block_|^message_start$/.test(textAt(piece, 'type') ?? '')))
    return anthropicEvents(pieces);
  if (pieces.some((piece) => textAt(piece, 'type')?.startsWith('response.'))) return responsesEvents(pieces);
  return null;
}

/** An answer while it is put together. */
type Growing = {
  text: string;
  reasoning: string;
  refusal: string;
  calls: Map<string, { id: LosslessJson; name: string; args: string }>;
};

const empty = (): Growing => ({ text: '', reasoning: '', refusal: '', calls: new Map() });

function whole({ text, reasoning, refusal, calls }: Growing): Part[] {
  return [
    ...reasoningParts(reasoning),
    ...(text === '' ? [] : [textPart(text)]),
    ...(refusal === '' ? [] : [{ type: 'refusal' as const, text: refusal }]),
    ...[...calls.values()].map(({ id, name, args }) =>
      toolCall(
        new Map([
          ['id', id],
          ['name', name],
          ['arguments', args],
        ]),
      ),
    ),
  ];
}

function grow(calls: Growing['calls'], key: string, id: LosslessJson, name: string, args: string): void {
  const known = calls.get(key) ?? { id: null, name: '', args: '' };
  calls.set(key, { id: known.id ?? id, name: known.name + name, args: known.args + args });
}

function chatChunks(chunks: LosslessObject[]): Message[] | null {
  const choices = new Map<string, Growing>();
  for (const chunk of chunks) {
    for (const each of listOf(chunk.get('choices'))!) {
      const choice = objectOf(each);
      const delta = objectOf(choice?.get('delta'));
      const index = String(memberOf(choice, 'index') ?? 0);
      const growing = choices.get(index) ?? empty();
      choices.set(index, growing);
      growing.text += textAt(delta, 'content') ?? textAt(choice, 'text') ?? '';
      growing.reasoning += textAt(delta, 'reasoning_content', 'reasoning') ?? '';
      growing.refusal += textAt(delta, 'refusal') ?? '';
      for (const [position, sent] of (listOf(delta?.get('tool_calls')) ?? []).entries()) {
        const call = objectOf(sent);
        const named = objectOf(call?.get('function'));
        const key = String(memberOf(call, 'index') ?? position);
        grow(
          growing.calls,
          key,
          memberOf(call, 'id') ?? null,
          textAt(named, 'name') ?? '',
          textAt(named, 'arguments') ?? '',
        );
      }
    }
  }
  return several([...choices.values()].map(whole));
}

function geminiChunks(chunks: LosslessObject[]): Message[] | null {
  const candidates: Part[][] = [];
  for (const chunk of chunks) {
    for (const [index, each] of listOf(chunk.get('candidates'))!.entries()) {
      const content = objectOf(objectOf(each)?.get('content'));
      candidates[index] ??= [];
      const known = candidates[index];
      for (const part of partsOf(content?.get('parts'))) {
        const last = known.at(-1);
        if (last?.type === 'text' && part.type === 'text') last.text += part.text;
        else if (last?.type === 'reasoning' && part.type === 'reasoning') last.text += part.text;
        else known.push(part);
      }
    }
  }
  return several(candidates);
}

function anthropicEvents(events: LosslessObject[]): Message[] | null {
  const growing = empty();
  for (const event of events) {
    const index = String(memberOf(event, 'index') ?? 0);
    const block = objectOf(event.get('content_block'));
    if (block && textAt(block, 'name'))
      grow(growing.calls, index, memberOf(block, 'id') ?? null, textAt(block, 'name')!, '');
    const delta = objectOf(event.get('delta'));
    growing.text += textAt(delta, 'text') ?? '';
    growing.reasoning += textAt(delta, 'thinking') ?? '';
    const json = textAt(delta, 'partial_json');
    if (json !== null) grow(growing.calls, index, null, '', json);
  }
  return several([whole(growing)]);
}

/** The last event contains the whole answer. */
function responsesEvents(events: LosslessObject[]): Message[] | null {
  const response = objectOf(
    events.findLast((event) => objectOf(event.get('response'))?.has('output'))?.get('response'),
  );
  const messages = messagesOf(response?.get('output'));
  if (messages?.length) return messages;
  const deltas = events.filter((event) => textAt(event, 'type') === 'response.output_text.delta');
  const text = deltas.map((event) => textAt(event, 'delta') ?? '').join('');
  return text === '' ? null : [message('assistant', [textPart(text)])];
}

function several(choices: Part[][]): Message[] | null {
  const messages = choices.map((parts, choice) => ({
    ...message('assistant', parts),
    choice: choices.length > 1 ? choice : null,
  }));
  return messages.length === 0 ? null : messages;
}
