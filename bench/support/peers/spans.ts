import { create, toBinary } from '@bufbuild/protobuf';
import { decodeExport } from '../../../src/otel/decode/export.ts';
import {
  type ExportTraceServiceRequest,
  ExportTraceServiceRequestSchema,
  type Span,
} from '../../../src/otel/proto/otlp.generated.ts';
import { type ChatDetail, exportOfChats } from '../otlp-export.ts';
import { randomFrom } from '../random.ts';

/** What is sent to every system, and what of it can be asked for. */
export type BenchSpans = {
  spans: number;
  /** Requests of one trace each, in the order of time. */
  exports: Buffer[];
  traces: SentTrace[];
  /** The time of the first span and one behind the last, in milliseconds. */
  startMs: number;
  endMs: number;
  longTrace: SentTrace;
  longTraceExports: Buffer[];
};

export type SentTrace = { traceId: string; rootId: string; spans: number };

export const model = 'stub-model';
export const rareWord = 'kelpforest';
export const tokensAtLeast = 190; // completion tokens lie evenly from 100 to 199
export const scoreAtLeast = 0.9; // scores lie evenly from 0 to 1
export const slowerThanMs = 1800; // spans take from 0.5 to 2 s

export function customer(i: number): string {
  return `customer-${String(i % customers).padStart(3, '0')}`;
}

/** Another trace for each `i`, from all over the time. */
export function nth(traces: SentTrace[], i: number): SentTrace {
  return traces[(i * 37 + 11) % traces.length]!;
}

const customers = 100;
const traceLength = 12;
const longTraceLength = 2_000;
const traceEveryMs = 60_000;
const startMs = Date.UTC(2026, 0, 1);

/** Traces of 12 spans of 5.4 kB, one a minute, and one trace of 2,000 spans of 2 kB behind them. */
export function makeSpans(spansMin: number): BenchSpans {
  const count = Math.ceil(spansMin / traceLength);
  const requests = Array.from({ length: count }, (_, n) =>
    chats(traceLength, n, { detail: (index) => detail(n * traceLength + index) }),
  );
  const longRequest = chats(longTraceLength, count, { questionChars: 300, answerChars: 150 });
  return {
    spans: count * traceLength,
    startMs,
    endMs: startMs + count * traceEveryMs,
    exports: requests.map(encode),
    traces: requests.map(traceOf),
    longTrace: traceOf(longRequest),
    longTraceExports: inParts(longRequest, 200).map(encode),
  };
}

function chats(spans: number, n: number, options: Parameters<typeof exportOfChats>[3]): ExportTraceServiceRequest {
  const text = exportOfChats(spans, n, (startMs + n * traceEveryMs) * 1000, options);
  return decodeExport(Buffer.from(text), 'json');
}

/** The customer is told twice, since not every system looks into the JSON of `metadata`. */
function detail(n: number): ChatDetail {
  const random = randomFrom(n + 1_000_000);
  const ofCustomer = customer(random.below(customers));
  const score = random.below(1_000_000) / 1_000_000;
  return {
    attributes: { customer: ofCustomer, metadata: JSON.stringify({ customer: ofCustomer, score }) },
    words: n % 200 === 7 ? `${rareWord} ` : '',
    durationUs: 500_000 + random.below(1_500_000),
  };
}

function encode(request: ExportTraceServiceRequest): Buffer {
  return Buffer.from(toBinary(ExportTraceServiceRequestSchema, request));
}

function traceOf(request: ExportTraceServiceRequest): SentTrace {
  const spans = spansOf(request);
  const hex = (id: Uint8Array) => Buffer.from(id).toString('hex');
  return { traceId: hex(spans[0]!.traceId), rootId: hex(spans[0]!.spanId), spans: spans.length };
}

/** The spans of a request as requests of this many. */
export function inParts(request: ExportTraceServiceRequest, size: number): ExportTraceServiceRequest[] {
  const { resource } = request.resourceSpans[0]!;
  const { scope } = request.resourceSpans[0]!.scopeSpans[0]!;
  const spans = spansOf(request);
  return Array.from({ length: Math.ceil(spans.length / size) }, (_, part) =>
    create(ExportTraceServiceRequestSchema, {
      resourceSpans: [
        {
          ...(resource === undefined ? {} : { resource }),
          scopeSpans: [
            { ...(scope === undefined ? {} : { scope }), spans: spans.slice(part * size, (part + 1) * size) },
          ],
        },
      ],
    }),
  );
}

export function spansOf(request: ExportTraceServiceRequest): Span[] {
  return request.resourceSpans[0]!.scopeSpans[0]!.spans;
}
