import { toBinary } from '@bufbuild/protobuf';
import { decodeExport } from '../../../src/otel/decode/export.ts';
import {
  type ExportTraceServiceRequest,
  ExportTraceServiceRequestSchema,
} from '../../../src/otel/proto/otlp.generated.ts';
import { exportOfChats } from '../otlp-export.ts';
import { inParts, spansOf } from '../peers/spans.ts';

const traceLength = 12;
const traceEveryMs = 30_000;
const exportsInBatch = 200;
/** Spans of about 2 kB. */
const chars = { questionChars: 300, answerChars: 150 };

/** Traces of 12 chats, one every half minute until now, as batches of requests of one trace each. */
export function* shortTraces(calls: number): Generator<Buffer[]> {
  const count = Math.ceil(calls / traceLength);
  const startMs = Date.now() - (count + 1) * traceEveryMs;
  for (let from = 0; from < count; from += exportsInBatch) {
    const length = Math.min(exportsInBatch, count - from);
    yield Array.from({ length }, (_, index) => {
      const n = from + index;
      return encode(chats(traceLength, n, startMs + n * traceEveryMs));
    });
  }
}

/** One trace of chats below one root, the newest. */
export function longTrace(length: number): Buffer[] {
  return inParts(chats(length, longTraceNumber, Date.now()), 500).map(encode);
}

const longTraceNumber = 0xffff_ffff;
export const longTraceIds = {
  traceId: traceIdOf(longTraceNumber).toString('hex'),
  rootId: spanIdOf(longTraceNumber, 0).toString('hex'),
};

/** With ids that are not random: among so many, some of those would be equal. */
function chats(length: number, n: number, startMs: number): ExportTraceServiceRequest {
  const request = decodeExport(Buffer.from(exportOfChats(length, n, startMs * 1000, chars)), 'json');
  for (const [index, span] of spansOf(request).entries()) {
    span.traceId = traceIdOf(n);
    span.spanId = spanIdOf(n, index);
    if (index > 0) span.parentSpanId = spanIdOf(n, 0);
  }
  return request;
}

function traceIdOf(n: number): Buffer {
  const id = Buffer.alloc(16, 1);
  id.writeUInt32BE(n, 12);
  return id;
}

function spanIdOf(n: number, index: number): Buffer {
  const id = Buffer.alloc(8);
  id.writeUInt32BE(n, 0);
  id.writeUInt32BE(index + 1, 4);
  return id;
}

function encode(request: ExportTraceServiceRequest): Buffer {
  return Buffer.from(toBinary(ExportTraceServiceRequestSchema, request));
}
