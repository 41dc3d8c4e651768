import type { MediaKind } from './conversation.ts';

/** The first bytes of files in hexadecimal, by which programs recognise them. */
const beginnings: [mimeType: string, pattern: RegExp][] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^47494638(?:37|39)61/],
  ['image/webp', /^52494646.{8}57454250/],
  ['image/bmp', /^424d.{8}00000000/],
  ['image/avif', /^.{8}6674797061766966/],
  ['application/pdf', /^255044462d/],
  ['audio/wav', /^52494646.{8}57415645/],
  ['audio/mpeg', /^(?:494433|fffb|fff3|fff2)/],
  ['audio/ogg', /^4f67675300/],
  ['audio/flac', /^664c6143/],
  ['video/mp4', /^.{8}66747970/],
  ['video/webm', /^1a45dfa3/],
];

/** The type of a file, by its first bytes. Null if they are not known. */
export function mimeTypeOf(base64: string): string | null {
  const start = Buffer.from(base64.slice(0, 64), 'base64').toString('hex');
  return beginnings.find(([, pattern]) => pattern.test(start))?.[0] ?? null;
}

export function kindOfMimeType(mimeType: string | null): MediaKind {
  const [, kind] = /^(image|audio|video)\//.exec(mimeType ?? '') ?? [];
  return (kind as MediaKind | undefined) ?? 'file';
}

/** `png` or `image/png` as a MIME type; formats of sound without a type are OpenAI's `wav` and `mp3`. */
export function mimeTypeFrom(format: string | null, kind: MediaKind): string | null {
  if (format === null || format.includes('/')) return format;
  const name = format.toLowerCase();
  if (kind === 'image') return `image/${name === 'jpg' ? 'jpeg' : name}`;
  if (kind === 'audio') return `audio/${name === 'mp3' ? 'mpeg' : name}`;
  if (kind === 'video') return `video/${name}`;
  return name === 'pdf' ? 'application/pdf' : null;
}
