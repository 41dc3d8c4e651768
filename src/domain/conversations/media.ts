import type { LosslessJson, LosslessObject } from '../../util/json/lossless.ts';
import { base64Of } from './bytes.ts';
import type { Media, MediaKind } from './conversation.ts';
import { kindOfMimeType, mimeTypeFrom, mimeTypeOf } from './media-types.ts';
import { memberOf, objectOf, textAt } from './values.ts';

/** Larger content is named, but not shown. */
const base64LengthMax = 24 * 1024 * 1024;

/** Members that have content or an address, or an object with either. The order matters: an address may be beside both. */
const places = [
  ...['image_url', 'imageUrl', 'input_image', 'inline_data', 'inlineData', 'file_data', 'fileData', 'input_audio'],
  ...['source', 'image', 'audio', 'video', 'document', 'file', 'data', 'bytes', 'content', 'base64', 'b64_json'],
  ...['blob', 'uri', 'url', 'file_uri', 'fileUri', 'file_url', 'audio_url', 'video_url', 'result'],
];

const mimeTypeNames = ['mime_type', 'mimeType', 'media_type', 'mediaType', 'image_mimetype', 'contentType'];
const fileNames = ['filename', 'file_name', 'title', 'name', 'displayName', 'display_name'];
const fileIds = ['file_id', 'fileId', 'id'];

/**
 * An image, sound, video or file that a part of a message has, in the words of all libraries: they agree that it is content
 * or an address, with a type beside it. `kind` is what the part says that it is, if it does.
 */
export function mediaOf(part: LosslessObject, kind: MediaKind | null): Media | null {
  const weave = weaveMedia(part);
  if (weave) return weave;
  const facts: Facts = { kind, mimeType: null, name: null };
  return mediaAt(part, facts, 0);
}

type Facts = { kind: MediaKind | null; mimeType: string | null; name: string | null };

function mediaAt(object: LosslessObject, known: Facts, depth: number): Media | null {
  const facts: Facts = {
    kind: known.kind,
    mimeType: textAt(object, ...mimeTypeNames) ?? known.mimeType,
    name: textAt(object, ...fileNames) ?? known.name,
  };
  const format = textAt(object, 'format');
  if (facts.mimeType === null && format !== null) facts.mimeType = mimeTypeFrom(format, known.kind ?? 'file');
  for (const place of places) {
    const value = object.get(place);
    if (value === undefined || value === null) continue;
    const inner = objectOf(value);
    const kind = facts.kind ?? kindOfPlace(place);
    const found =
      mediaFrom(value, { ...facts, kind }) ?? (inner && depth < 3 && mediaAt(inner, { ...facts, kind }, depth + 1));
    if (found) return found;
  }
  const id = depth === 0 && facts.kind === null ? null : textAt(object, ...fileIds.slice(0, 2));
  return id === null ? null : media({ ...facts, kind: facts.kind ?? 'file', name: facts.name ?? id }, null, null);
}

function kindOfPlace(place: string): MediaKind | null {
  const [, kind] = /^(?:input_)?(image|audio|video)/.exec(place) ?? [];
  return (kind as MediaKind | undefined) ?? null;
}

/** Content or an address. Text that can be neither is none of them. */
export function mediaFrom(value: LosslessJson, { kind, mimeType, name }: Facts): Media | null {
  if (typeof value === 'string') {
    const [, type = null] = /^data:([^;,]*)[;,]/i.exec(value.slice(0, 200)) ?? [];
    if (type !== null) {
      const mime = type || mimeType;
      const bytes = /;base64,/i.test(value.slice(0, 200)) ? sizeOf(value.slice(value.indexOf(',') + 1)) : null;
      return media({ kind: kindOf(kind, mime), mimeType: mime, name }, value, bytes);
    }
    if (/^(?:https?|gs|s3|file|blob|attachment):/i.test(value)) {
      return media({ kind: kindOf(kind, mimeType), mimeType, name }, value, null);
    }
  }
  const base64 = base64Of(value);
  if (base64 === null) return null;
  const seen = mimeTypeOf(base64);
  // Short words are base64 too: content has a type, is recognised, or is too long for a word.
  const isContent =
    seen !== null ||
    (typeof value !== 'string' ? kind !== null || mimeType !== null : isLikely(base64, kind, mimeType));
  if (!isContent) return null;
  const mime = mimeTypeWith(kind, mimeType, seen);
  const facts = { kind: kindOf(kind, mime), mimeType: mime, name };
  return media(facts, `data:${mime ?? 'application/octet-stream'};base64,${base64}`, sizeOf(base64));
}

function isLikely(base64: string, kind: MediaKind | null, mimeType: string | null): boolean {
  return mimeType !== null || (kind !== null && base64.length >= 64);
}

/** A generic type says less than the content. */
function mimeTypeWith(kind: MediaKind | null, sent: string | null, seen: string | null): string | null {
  if (sent?.includes('/') && !/octet-stream|\*/.test(sent)) return sent;
  return seen ?? (kind === 'image' ? 'image/png' : kind === 'audio' ? 'audio/wav' : sent);
}

function kindOf(kind: MediaKind | null, mimeType: string | null): MediaKind {
  const named = kindOfMimeType(mimeType);
  return named === 'file' ? (kind ?? 'file') : named;
}

function sizeOf(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.floor((base64.length * 3) / 4) - padding;
}

function media({ kind, mimeType, name }: Facts & { kind: MediaKind }, url: string | null, bytes: number | null): Media {
  const isShown = url !== null && url.length <= base64LengthMax;
  return { type: kind, url: isShown ? url : null, mimeType, name, digest: null, bytes };
}

/** Images, sound and files that Weave's SDK stored as files of the project. */
function weaveMedia(value: LosslessObject): Media | null {
  if (value.get('_type') !== 'CustomWeaveType') return null;
  const files = value.get('files');
  if (!(files instanceof Map)) return null;
  const type = textAt(objectOf(value.get('weave_type')), 'type') ?? '';
  const [name, digest] = [...files].find(([file]) => file !== 'metadata.json' && !file.endsWith('.py')) ?? [];
  if (name === undefined || typeof digest !== 'string') return null;
  const mimeType = mimeTypeOfFile(name);
  const kind = /Image/.test(type) ? 'image' : /[Aa]udio|wave/.test(type) ? 'audio' : kindOfMimeType(mimeType);
  return { type: kind, url: null, mimeType, name, digest, bytes: null };
}

const typesByEnding: Record<string, string> = {
  ...{ png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp' },
  ...{
    wav: 'audio/wav',
    mp3: 'audio/mpeg',
    ogg: 'audio/ogg',
    mp4: 'video/mp4',
    webm: 'video/webm',
    pdf: 'application/pdf',
  },
};

function mimeTypeOfFile(name: string): string | null {
  return typesByEnding[name.split('.').at(-1)!.toLowerCase()] ?? null;
}

/** Whether a part says that it is media, and what kind. */
export function mediaKindOf(part: LosslessObject, type: string): MediaKind | null {
  const [, named] = /(image|audio|video)/.exec(`${type} ${textAt(part, 'modality') ?? ''}`) ?? [];
  if (named !== undefined) return named as MediaKind;
  if (/^(?:input_)?file$|document|^blob$|^uri$|^binary|^media$|^inline_?data$/i.test(type)) {
    const mimeType = memberOf(part, ...mimeTypeNames);
    return typeof mimeType === 'string' ? kindOfMimeType(mimeType) : 'file';
  }
  return null;
}
