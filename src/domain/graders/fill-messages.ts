import type { TemplateMessage, TemplatePart } from '../../contract/graders/message.ts';
import { fillTemplate, type Namespaces } from './template.ts';

/** A message of a chat request. */
export type ChatMessage = Record<string, unknown> & { role: string };

/** Fills in the templates of messages, and converts their parts to those of chat requests. @throws GradeError */
export function fillMessages(messages: TemplateMessage[], namespaces: Namespaces): ChatMessage[] {
  return messages.map(({ role, content }) => {
    if (typeof content === 'string') return { role, content: fillTemplate(content, namespaces) };
    const parts = Array.isArray(content) ? content : [content];
    const isText = parts.every((part) => typeof part !== 'string' && 'text' in part);
    const filled = parts.map((part) => chatPart(part, namespaces));
    // One text is a string, which every model reads.
    return { role, content: isText && filled.length === 1 ? filled[0]!.text : filled };
  });
}

function chatPart(part: TemplatePart, namespaces: Namespaces): Record<string, unknown> {
  if (typeof part === 'string') return { type: 'text', text: fillTemplate(part, namespaces) };
  switch (part.type) {
    case 'input_text':
    case 'output_text':
      return { type: 'text', text: fillTemplate(part.text, namespaces) };
    case 'input_image': {
      const detail = part.detail ? { detail: part.detail } : {};
      return { type: 'image_url', image_url: { url: fillTemplate(part.image_url, namespaces), ...detail } };
    }
    case 'input_audio': {
      const { data, format } = part.input_audio;
      return { type: 'input_audio', input_audio: { data: fillTemplate(data, namespaces), format } };
    }
    default:
      return part satisfies never;
  }
}
