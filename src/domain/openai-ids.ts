/** The prefixes of ids in OpenAI's API. */
export type IdPrefix = 'file-' | 'ftjob-' | 'ftevent-' | 'ftckpt_';

/** An id as OpenAI's clients see it: a prefix, and the UUID without hyphens. */
export function openAiId(prefix: IdPrefix, id: string): string {
  return prefix + id.replaceAll('-', '');
}

/** The UUID of such an id; null for any other text. */
export function readOpenAiId(prefix: IdPrefix, text: string): string | null {
  const digits = text.startsWith(prefix) ? text.slice(prefix.length) : '';
  const parts = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(digits);
  return parts === null ? null : parts.slice(1).join('-');
}
