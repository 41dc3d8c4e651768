import { readFileSync } from 'node:fs';
import type { CallUsage } from '../../domain/usage/call-usage.ts';
import { usageOfCall } from '../../domain/usage/summary-usage.ts';
import { sumsThatStand } from '../../domain/usage/sums-that-stand.ts';
import type { UsageCall } from '../../domain/usage/usage-call.ts';
import { decodeLogs } from '../decode/export.ts';
import type { MappedSpan } from '../mapper/mapped-span.ts';
import { mapperVersion, mapSpan } from '../mapper/mapper.ts';
import { asStep } from '../mapper/step.ts';
import { readLogs } from '../read-logs.ts';
import { spanKey } from '../span-key.ts';
import { openStepFinder } from '../step-finder.ts';
import { withEvents } from '../with-events.ts';
import { writeRawSpan } from '../write-raw-span.ts';
import { readSpans } from './span.ts';

/** What the provider billed for one request: see scripts/capture-spans. */
export type Billed = {
  responseId: string;
  model: string;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  reasoning: number;
};

/** A call of a fixture with parsed payloads, and its span with its separately sent events. */
export type AgentCall = {
  name: string;
  raw: string;
  call: MappedSpan;
  attributes: any;
  inputs: any;
  output: any;
  usage: CallUsage;
};

const fixtures = new URL('../../../testing/spans/agents/', import.meta.url);

/** What the spans and log records of a captured program become, and what its requests were billed. */
export function readAgentFixture(name: string): { calls: AgentCall[]; billed: Billed[] } {
  const { spans, logs, billed } = JSON.parse(readFileSync(new URL(`${name}.json`, fixtures), 'utf8'));
  const { spans: read, refused } = readSpans(JSON.stringify(spans));
  if (refused.length > 0) throw new Error(refused.join('\n'));
  const { groups } = readLogs(decodeLogs(Buffer.from(JSON.stringify(logs)), 'json'), true);
  const events = groups.flatMap((group) => group.events);
  const mapped = read.map(({ call, span, raw }) => {
    const whole = withEvents(
      raw,
      events.filter(({ spanId }) => spanId === call.id),
    );
    return { name: span.name, raw: whole ? writeRawSpan(whole) : raw, call: whole ? mapSpan(whole) : call };
  });
  const standing = sumsThatStand(mapped.map(({ call }) => ({ ...call, isSum: call.summaryAlone !== '' })));
  const steps = openStepFinder().settle(
    'p',
    mapped.map(({ call }) => call),
  );
  const calls = mapped.map(({ name, raw, call: alone }): AgentCall => {
    const call = steps.has(spanKey(alone)) ? asStep(alone) : alone;
    const summary = standing.has(call.id) ? call.summaryAlone : call.summary;
    const [attributes, inputs, output] = [call.attributes, call.inputs, call.output].map((text) => JSON.parse(text));
    return { name, raw, call, attributes, inputs, output, usage: usageOfCall({ ...call, summary, mapperVersion })[0]! };
  });
  return { calls, billed };
}

/** The calls in the form for rolling up usage. */
export function usageCalls(calls: AgentCall[]): UsageCall[] {
  return calls.map(({ call, attributes, usage }) => ({
    ...{
      id: call.id,
      parentId: call.parentId,
      traceId: call.traceId,
      startedAt: call.startedAt,
      endedAt: call.endedAt,
    },
    ...{ isSpan: true, opName: call.opId, responseId: attributes.response_id ?? '', usage: [usage] },
  }));
}
