import { create, toJson } from '@bufbuild/protobuf';
import {
  ExportLogsServiceRequestSchema,
  ExportTraceServiceRequestSchema,
  type Resource,
  type ResourceLogs,
  type ResourceSpans,
} from '../../src/otel/proto/otlp.generated.ts';
import type { Billed } from './agent-stub/scenario.ts';

export type AgentFixture = { resourceSpans: ResourceSpans[]; resourceLogs: ResourceLogs[]; billed: Billed[] };

/** Writes what a program sent, one span or log record a line, and what its requests cost. */
export function toFixture({ resourceSpans, resourceLogs, billed }: AgentFixture): string {
  for (const { resource } of [...resourceSpans, ...resourceLogs]) forgetMachine(resource);
  const spans = toJson(ExportTraceServiceRequestSchema, create(ExportTraceServiceRequestSchema, { resourceSpans }));
  const logs = toJson(ExportLogsServiceRequestSchema, create(ExportLogsServiceRequestSchema, { resourceLogs }));
  const text = JSON.stringify({ spans, logs, billed }, (key, value) =>
    ids.has(key) ? Buffer.from(value, 'base64').toString('hex') : value,
  );
  return `${text.replaceAll(/\{"(traceId|timeUnixNano":"\d+","(?!attributes|name))/g, '\n$&').replaceAll(/\{"responseId"/g, '\n$&')}\n`;
}

const ids = new Set(['traceId', 'spanId', 'parentSpanId']);

/** Without the paths of this machine: of the repository, of environments, of Python itself. */
export function anonymous(text: string, { environments, stubUrl }: { environments: string; stubUrl: string }): string {
  return text
    .replaceAll(new RegExp(`${environments}[^"\\s]*?/site-packages/`, 'g'), 'site-packages/')
    .replaceAll(/\/[^"\s\\]*?\/(lib\/python3\.\d+|scripts\/capture-spans)\//g, '$1/')
    .replaceAll(new RegExp(`(file://)?${environments}/[^"\\s/]*/`, 'g'), '')
    .replaceAll(stubUrl, 'http://127.0.0.1:4000/v1')
    .replaceAll(new URL(stubUrl).port, '4000');
}

function forgetMachine(resource: Resource | undefined): void {
  if (!resource) return;
  resource.attributes = resource.attributes.filter(
    ({ key }) => !/^(host|process|os|service\.version|service\.instance)\b/.test(key),
  );
}
