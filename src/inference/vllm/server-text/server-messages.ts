import { kindOfPart, textKinds } from '../../../chat/templates/content-kinds.ts';
import type { ChatRequest } from '../../../contract/chat/request.ts';
import { invalidInput } from '../../../util/failures.ts';
import { JsonText } from '../../../util/json/json-text.ts';

type Message = ChatRequest['messages'][number];

/** Messages as vLLM reads them, with the fields that templates get. @throws Failure */
export function serverMessages(messages: readonly Message[]): Record<string, unknown>[] {
  return messages.map((message, index) => {
    const { role, content, name, tool_call_id, tool_calls } = message;
    const reasoning = message.reasoning ?? message.reasoning_content;
    return {
      role,
      content: Array.isArray(content)
        ? content.flatMap((part, i) => partOf(part, `messages.${index}.content.${i}`))
        : (content ?? null),
      ...(name == null ? {} : { name }),
      ...(tool_call_id == null ? {} : { tool_call_id }),
      ...(tool_calls == null || tool_calls.length === 0 ? {} : { tool_calls: tool_calls.map(callOf) }),
      ...(reasoning == null ? {} : { reasoning }),
    };
  });
}

/** Tools as vLLM reads them: their parameters are JSON. @param areStrict whether arguments must satisfy their schema */
export function serverTools(
  tools: NonNullable<ChatRequest['tools']>,
  { areStrict = false } = {},
): Record<string, unknown>[] {
  return tools.map((tool) => {
    const { parameters, ...given } = tool.function;
    const about = areStrict ? { ...given, strict: true } : given;
    return { ...tool, function: { ...about, ...(parameters == null ? {} : { parameters: new JsonText(parameters) }) } };
  });
}

/** Text parts have one kind, and the images of `/v1/responses` are those of chats. A text that is null is left out. */
function partOf(part: unknown, place: string): unknown[] {
  if (typeof part === 'string') return [{ type: 'text', text: part }];
  const fields = part as Record<string, unknown>;
  const kind = kindOfPart(fields);
  const textField = typeof kind === 'string' ? textKinds.get(kind) : undefined;
  if (textField !== undefined) {
    const text = fields[textField] ?? null;
    return text === null ? [] : [{ type: 'text', text }];
  }
  if (kind === 'input_image') return [{ type: 'image_url', image_url: imageOf(fields, place) }];
  return [fields.type === undefined && typeof kind === 'string' ? { type: kind, ...fields } : fields];
}

function imageOf({ image_url: url, detail }: Record<string, unknown>, place: string): Record<string, unknown> {
  const image = typeof url === 'string' ? { url } : url;
  if (typeof image !== 'object' || image === null) {
    throw invalidInput(`${place} has no image_url. Images are read from a URL or a data URL.`, { param: 'messages' });
  }
  return { ...image, ...(typeof detail === 'string' ? { detail } : {}) };
}

function callOf(call: NonNullable<Message['tool_calls']>[number]): Record<string, unknown> {
  return { type: 'function', ...call };
}
