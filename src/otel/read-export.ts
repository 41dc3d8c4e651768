import type { MappedSpan } from './mapper/mapped-span.ts';
import { mapSpan } from './mapper/mapper.ts';
import type { ExportTraceServiceRequest, KeyValue, ResourceSpans, ScopeSpans, Span } from './proto/otlp.generated.ts';
import type { RawSpan } from './raw-span.ts';
import { InvalidSpanError, readResource, readScope, readSpan, type SpanContext } from './read-span.ts';
import { plainText, valueAt } from './tree.ts';
import { writeRawSpan } from './write-raw-span.ts';

/**
 * The content of an export, ready to be stored: no I/O and only plain values, so that this can run in another thread.
 * Spans that cannot become calls are listed in `refused` and do not affect the others.
 */
export type ReadExport = { groups: SpanGroup[]; refused: string[] };

/** The spans of one resource, and the project that the resource names. */
export type SpanGroup = { resource: ResourceNames; spans: ReadSpan[] };

/** A span as a call, and the span itself: its identifiers and its JSON. */
export type ReadSpan = { call: MappedSpan; span: SpanKeys; raw: string };

type SpanKeys = {
  name: string;
  traceId: string;
  parentId: string;
  agentName: string;
  agentId: string;
  conversationId: string;
};

/** Empty if the resource does not say. */
export type ResourceNames = { entity: string; project: string; service: string; run: string };

export function readExport({ resourceSpans }: ExportTraceServiceRequest, redacts: boolean): ReadExport {
  const refused: string[] = [];
  const groups = resourceSpans.map((each) => readGroup(each, redacts, refused));
  return { groups, refused };
}

function readGroup(resourceSpans: ResourceSpans, redacts: boolean, refused: string[]): SpanGroup {
  const resource = readResource(resourceSpans, redacts);
  const spans: ReadSpan[] = [];
  for (const scopeSpans of resourceSpans.scopeSpans) {
    const context = { resource, scope: readScope(scopeSpans, redacts), redacts };
    const library = libraryOf(scopeSpans);
    for (const span of scopeSpans.spans) {
      const read = readOrRefuse(span, context, library, refused);
      if (read !== null) spans.push(read);
    }
  }
  return { resource: resourceNames(resourceSpans.resource?.attributes ?? []), spans };
}

/** The sender of a span, for the message that rejects it. */
function libraryOf({ scope }: ScopeSpans): string {
  if (!scope?.name) return '';
  return `library '${scope.name}${scope.version === '' ? '' : ` ${scope.version}`}': `;
}

function readOrRefuse(span: Span, context: SpanContext, library: string, refused: string[]): ReadSpan | null {
  try {
    const raw = readSpan(span, context);
    return { call: mapSpan(raw), span: keysOf(raw), raw: writeRawSpan(raw) };
  } catch (error) {
    if (!(error instanceof InvalidSpanError)) throw error;
    const [traceId, spanId] = [span.traceId, span.spanId].map((id) => Buffer.from(id).toString('hex'));
    const which = `name='${span.name}' trace_id='${traceId}' span_id='${spanId}'`;
    refused.push(`Rejected span (${which}): ${library}${error.message}`);
    return null;
  }
}

function keysOf({ name, traceId, parentId, attributes: { tree } }: RawSpan): SpanKeys {
  return {
    name,
    traceId,
    parentId,
    agentName: plainText(valueAt(tree, ['gen_ai', 'agent', 'name'])),
    agentId: plainText(valueAt(tree, ['gen_ai', 'agent', 'id'])),
    conversationId: plainText(valueAt(tree, ['gen_ai', 'conversation', 'id'])),
  };
}

export function resourceNames(attributes: KeyValue[]): ResourceNames {
  const text = (key: string): string => {
    const value = attributes.find((each) => each.key === key)?.value?.value;
    return value?.case === 'stringValue' ? value.value : '';
  };
  return {
    entity: text('wandb.entity'),
    project: text('wandb.project'),
    service: text('service.name'),
    run: text('wandb.wb_run_id'),
  };
}
