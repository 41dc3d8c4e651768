/** The kinds of parts of a message's content: text, each with the member that has it, and media. */
export const textKinds: ReadonlyMap<string, string> = new Map([
  ['text', 'text'],
  ['input_text', 'text'],
  ['output_text', 'text'],
  ['refusal', 'refusal'],
  ['thinking', 'thinking'],
]);

export const mediaKinds: ReadonlySet<string> = new Set([
  ...['image', 'image_url', 'input_image', 'image_pil', 'image_embeds', 'audio', 'audio_url', 'input_audio'],
  ...['audio_embeds', 'video', 'video_url', 'input_video', 'video_embeds', 'file', 'input_file'],
]);

/** The kind of a part: its `type`, or else what its members show. */
export function kindOfPart(fields: Record<string, unknown>): unknown {
  if (fields.type !== undefined) return fields.type;
  return [...textKinds.keys(), ...mediaKinds].find((kind) => kind in fields);
}

/** Whether a message has something that is not text, such as an image. */
export function hasMedia(message: object): boolean {
  const { content } = message as { content?: unknown };
  return Array.isArray(content) && content.some(isMedia);
}

/** Whether templates show all of a message, so that its tokens are all that a model has read of it. */
export function isText(message: object): boolean {
  const { content } = message as { content?: unknown };
  return (
    !Array.isArray(content) ||
    content.every((part) => typeof part === 'string' || isKind(part, (kind) => textKinds.has(kind)))
  );
}

function isMedia(part: unknown): boolean {
  return isKind(part, (kind) => mediaKinds.has(kind));
}

function isKind(part: unknown, test: (kind: string) => boolean): boolean {
  if (typeof part !== 'object' || part === null) return false;
  const kind = kindOfPart(part as Record<string, unknown>);
  return typeof kind === 'string' && test(kind);
}
