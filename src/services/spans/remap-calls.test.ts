import { expect, it } from 'vitest';
import { contextForFile, partsOf } from '../../api/testing/context.ts';
import type { CallPart } from '../../domain/calls/part.ts';
import { mapperVersion } from '../../otel/mapper/mapper.ts';
import { findRows } from '../../store/clickhouse/calls/find/find-rows.ts';

const context = contextForFile();

it('derives calls of older mappers again, and writes only when told to', async () => {
  const spans = [
    { spanId: '00000000000000a1', attributes: { 'input.value': 'hi' } },
    { spanId: '00000000000000a2', attributes: { 'input.value': 'hi' } },
    { spanId: '00000000000000a3', attributes: { 'input.value': 'hi' } },
  ];
  const [same, changed, current] = partsOf(spans);
  const projectId = 'project';
  await context.current.calls.write([
    { projectId, id: '00000000000000a1', part: ofMapper(9, same!) },
    { projectId, id: '00000000000000a2', part: ofMapper(9, changed!, '{"old":1}') },
    { projectId, id: '00000000000000a3', part: ofMapper(mapperVersion, current!, '{"old":1}') },
  ]);
  const readInputs = async () => {
    const rows = await findRows(context.current.clickhouse, projectId, ['00000000000000a2', '00000000000000a3']);
    return rows.toSorted((a, b) => a.id.localeCompare(b.id)).map((row) => row.inputs);
  };

  const report = await context.current.services.spans.remap({ writes: false });
  expect(report).toEqual({
    examined: 2,
    changed: 1,
    unreadable: 0,
    fields: { inputs: 1 },
    examples: [{ callId: '00000000000000a2', field: 'inputs', before: '{"old":1}', after: '{"input.value":"hi"}' }],
  });
  expect(await readInputs()).toEqual(['{"old":1}', '{"old":1}']);

  expect(await context.current.services.spans.remap({ writes: true })).toEqual(report);
  expect(await readInputs()).toEqual(['{"input.value":"hi"}', '{"old":1}']);
  expect(await context.current.services.spans.remap({ writes: true })).toMatchObject({ examined: 0 });
});

function ofMapper(version: number, part: CallPart, inputs?: string): CallPart {
  if (part.kind !== 'complete') throw new Error('the span has ended, so it is a whole call');
  return { ...part, start: { ...part.start, mapperVersion: version, ...(inputs ? { inputs } : {}) } };
}
