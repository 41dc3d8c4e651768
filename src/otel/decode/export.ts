import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { badRequest } from '../../contract/errors.ts';
import {
  type ExportTraceServiceRequest,
  ExportTraceServiceRequestSchema,
  ExportTraceServiceResponseSchema,
} from '../proto/otlp.generated.ts';
import { readJsonExport } from './json.ts';

/** The two encodings of OTLP over HTTP. */
export type OtlpEncoding = 'protobuf' | 'json';

export const mediaTypes = { protobuf: 'application/x-protobuf', json: 'application/json' } as const;

/** By the content type; where it says neither, by how the body begins, since no protobuf message begins with `{`. */
export function encodingOf(contentType: string, body: Uint8Array): OtlpEncoding {
  if (/\bjson\b/i.test(contentType)) return 'json';
  if (/protobuf/i.test(contentType)) return 'protobuf';
  return body[0] === '{'.charCodeAt(0) ? 'json' : 'protobuf';
}

/** @throws ApiError 400 for bytes that are no export of traces. */
export function decodeExport(body: Uint8Array, encoding: OtlpEncoding): ExportTraceServiceRequest {
  try {
    return encoding === 'json' ? readJsonExport(body) : fromBinary(ExportTraceServiceRequestSchema, body);
  } catch (error) {
    throw badRequest(`The body is no ExportTraceServiceRequest in ${encoding}: ${(error as Error).message}`);
  }
}

/** Spans that were not stored, and why. */
export type Refusal = { count: number; message: string };

/** Says as protobuf what was refused: nothing at all where all was taken. */
export function encodeRefusal({ count, message }: Refusal): Uint8Array {
  const partialSuccess = count === 0 ? undefined : { rejectedSpans: BigInt(count), errorMessage: message };
  return toBinary(ExportTraceServiceResponseSchema, create(ExportTraceServiceResponseSchema, { partialSuccess }));
}
