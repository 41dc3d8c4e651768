import fastifyMultipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError, badRequest, tooLarge } from '../contract/errors.ts';
import { Failure, type ValidationDetail, ValidationError } from '../util/failures.ts';
import { followBody } from './bodies/read-body.ts';

/** The parts of an upload: its text fields and one file. */
export type Upload<Field extends string> = {
  /** Null if the field was not sent. */
  fields: Record<Field, string | null>;
  file: { name: string; bytes: Buffer };
};

/** Lets routes read `multipart/form-data`. The body is not read until a handler asks for it. */
export async function multipart(app: FastifyInstance, { fileSizeMax }: { fileSizeMax: number }): Promise<void> {
  const limits = { fileSize: fileSizeMax, files: 1, fields: 20, fieldSize: 64 * 1024, fieldNameSize: 100 };
  await app.register(fastifyMultipart, { limits: { ...limits, headerPairs: 100 } });
}
// Without this, Fastify would hide the plugin's additions from sibling plugins, such as the routes.
Object.assign(multipart, { [Symbol.for('skip-override')]: true });

/**
 * Reads a whole upload into memory: its digest must be known before it can be stored, and its size is limited.
 * @throws ValidationError if a required field or the part `file` is missing; ApiError 413 if the file is too large.
 */
export async function readUpload<Field extends string>(
  request: FastifyRequest,
  shape: { required: readonly Field[]; optional: readonly Field[] },
): Promise<Upload<Field>> {
  const names: readonly string[] = [...shape.required, ...shape.optional];
  const fields = Object.fromEntries(names.map((name) => [name, null])) as Upload<Field>['fields'];
  let file: Upload<Field>['file'] | null = null;
  if (request.isMultipart()) {
    await readParts(request, {
      onField(name, value) {
        if (names.includes(name)) fields[name as Field] = value;
      },
      onFile(name, bytes) {
        file = { name, bytes };
      },
    });
  }
  const missing: string[] = shape.required.filter((name) => fields[name] === null);
  if (file === null) missing.push('file');
  if (missing.length > 0 || file === null) throw new ValidationError(missing.map(missingPart));
  return { fields, file };
}

/** An upload whose file is stored as it arrives. */
export type StreamedUpload<Field extends string, Content, Checked> = {
  fields: readonly Field[];
  fileBytesMax: number;
  store(bytes: AsyncIterable<Uint8Array>): Promise<Content>;
  /** Called with the stored content if the upload is rejected. */
  discard(content: Content): Promise<void>;
  /** @throws to reject the upload */
  check(upload: { name: string; fields: Record<Field, string | null> }): Checked;
};

/** @throws ValidationError without the part `file`; ApiError 413 if it is too large; what `check` throws */
export async function readStreamedUpload<Field extends string, Content, Checked>(
  request: FastifyRequest,
  upload: StreamedUpload<Field, Content, Checked>,
): Promise<{ content: Content; checked: Checked }> {
  const refused = request.isMultipart() ? followBody(request.raw, request.arriving, () => {}) : Promise.resolve();
  const parts = storeParts(request, upload);
  try {
    const { fields, file } = await Promise.race([parts, refused.then(() => parts)]);
    if (file === null) throw new ValidationError([missingPart('file')]);
    return { content: file.content, checked: upload.check({ name: file.name, fields }) };
  } catch (error) {
    // A file that is rejected while it arrives may still be stored afterwards.
    void parts.then(({ file }) => file && upload.discard(file.content)).catch(() => {});
    throw error;
  }
}

type StoredParts<Field extends string, Content> = {
  fields: Record<Field, string | null>;
  file: { name: string; content: Content } | null;
};

/** A file without the rest of its upload is discarded. */
async function storeParts<Field extends string, Content, Checked>(
  request: FastifyRequest,
  { fields: names, fileBytesMax, store, discard }: StreamedUpload<Field, Content, Checked>,
): Promise<StoredParts<Field, Content>> {
  const known: readonly string[] = names;
  const fields = Object.fromEntries(names.map((name) => [name, null])) as StoredParts<Field, Content>['fields'];
  const stored: StoredParts<Field, Content> = { fields, file: null };
  if (!request.isMultipart()) return stored;
  try {
    for await (const part of request.parts({ limits: { fileSize: fileBytesMax } })) {
      if (part.type === 'field') {
        if (known.includes(part.fieldname)) fields[part.fieldname as Field] = String(part.value);
      } else if (part.fieldname === 'file') {
        stored.file = { name: part.filename ?? '', content: await store(part.file) };
      } else part.file.resume();
    }
    return stored;
  } catch (error) {
    if (stored.file !== null) await discard(stored.file.content);
    throw error instanceof Failure ? error : asApiError(error);
  }
}

type PartListener = { onField(name: string, value: string): void; onFile(name: string, bytes: Buffer): void };

/** The parser ends by itself when the connection closes, so a rejected body is not awaited. */
async function readParts(request: FastifyRequest, listener: PartListener): Promise<void> {
  const refused = followBody(request.raw, request.arriving, () => {});
  const parts = eachPart(request, listener);
  parts.catch(() => {});
  await Promise.race([parts, refused.then(() => parts)]);
}

async function eachPart(request: FastifyRequest, { onField, onFile }: PartListener): Promise<void> {
  try {
    for await (const part of request.parts()) {
      if (part.type === 'field') onField(part.fieldname, String(part.value));
      else if (part.fieldname === 'file') onFile(part.filename ?? '', await part.toBuffer());
      else part.file.resume();
    }
  } catch (error) {
    throw asApiError(error);
  }
}

/** The parser's errors for a truncated or malformed body have no status. */
function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const { code = '', statusCode } = error as { code?: string; statusCode?: number };
  if (code in tooMany) return badRequest(tooMany[code]!);
  if (statusCode === 413) return tooLarge();
  return badRequest(`The upload could not be read: ${(error as Error).message}`);
}

const tooMany: Record<string, string> = {
  FST_FILES_LIMIT: 'The upload has more than one file. Send one file in each request.',
  FST_FIELDS_LIMIT: 'The upload has more than 20 fields.',
};

function missingPart(name: string): ValidationDetail {
  return { type: 'missing', loc: ['body', name], msg: 'Field required' };
}
