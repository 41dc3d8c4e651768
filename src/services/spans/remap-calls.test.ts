import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { copyStoreTemplate } from '../../api/testing/store-template.ts';
import { readConfig } from '../../config.ts';
import { type Context, openContext } from '../../context.ts';
import type { CallPart } from '../../domain/calls/part.ts';
import { openLog } from '../../log.ts';
import { mapperVersion } from '../../otel/mapper/mapper.ts';
import { otlpJson, readSpans } from '../../otel/testing/span.ts';
import { findRows } from '../../store/clickhouse/calls/find/find-rows.ts';
import { spanToPart } from './to-part.ts';

let context: Context;
let data: string;
beforeAll(async () => {
  data = copyStoreTemplate(inject('storeTemplate'));
  const config = readConfig({}, { HEDDLE_DATA: data, HEDDLE_LOG_LEVEL: 'error' });
  context = await openContext(config, openLog(config));
});
afterAll(async () => {
  await context.close();
  rmSync(data, { recursive: true, force: true });
});

const owner = { project: 'e/p', userId: 'u', opName: 'weave:///e/p/op/span:digest', resourceRun: '' };

it('derives calls of older mappers again, and writes only when told to', async () => {
  const spans = [
    { spanId: '00000000000000a1', attributes: { 'input.value': 'hi' } },
    { spanId: '00000000000000a2', attributes: { 'input.value': 'hi' } },
    { spanId: '00000000000000a3', attributes: { 'input.value': 'hi' } },
  ];
  const [same, changed, current] = readSpans(otlpJson(spans)).spans.map((span) => spanToPart(span, owner));
  const projectId = 'project';
  await context.calls.write([
    { projectId, id: '00000000000000a1', part: ofMapper(9, same!) },
    { projectId, id: '00000000000000a2', part: ofMapper(9, changed!, '{"old":1}') },
    { projectId, id: '00000000000000a3', part: ofMapper(mapperVersion, current!, '{"old":1}') },
  ]);
  const readInputs = async () => {
    const rows = await findRows(context.clickhouse, projectId, ['00000000000000a2', '00000000000000a3']);
    return rows.toSorted((a, b) => a.id.localeCompare(b.id)).map((row) => row.inputs);
  };

  const report = await context.services.spans.remap({ writes: false });
  expect(report).toEqual({
    examined: 2,
    changed: 1,
    unreadable: 0,
    fields: { inputs: 1 },
    examples: [{ callId: '00000000000000a2', field: 'inputs', before: '{"old":1}', after: '{"input.value":"hi"}' }],
  });
  expect(await readInputs()).toEqual(['{"old":1}', '{"old":1}']);

  expect(await context.services.spans.remap({ writes: true })).toEqual(report);
  expect(await readInputs()).toEqual(['{"input.value":"hi"}', '{"old":1}']);
  expect(await context.services.spans.remap({ writes: true })).toMatchObject({ examined: 0 });
});

function ofMapper(version: number, part: CallPart, inputs?: string): CallPart {
  if (part.kind !== 'complete') throw new Error('the span has ended, so it is a whole call');
  return { ...part, start: { ...part.start, mapperVersion: version, ...(inputs ? { inputs } : {}) } };
}
