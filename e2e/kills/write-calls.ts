import { randomBytes, randomUUID } from 'node:crypto';
import { type Check, expectEqual } from './ledger.ts';
import type { Writer } from './writers.ts';

/** Starts a call, ends it and renames it; another comes in one piece, in a batch. */
export const changeCalls: Writer = async (client, project, ledger) => {
  const start = callOf(project);
  const thing = `call ${start.id}`;
  await ledger.change([thing], () => client.ask('POST', '/call/start', { start }), [
    reads(start.id, project, { op_name: 'work' }),
  ]);
  const end = { project_id: project, id: start.id, ended_at: new Date().toISOString(), output: start.id, summary: {} };
  await ledger.change([thing], () => client.ask('POST', '/call/end', { end }), [
    reads(start.id, project, { output: start.id }),
  ]);
  const name = { project_id: project, call_id: start.id, display_name: 'renamed' };
  await ledger.change([thing], () => client.ask('POST', '/call/update', name), [
    reads(start.id, project, { output: start.id, display_name: 'renamed' }),
  ]);
  const batch = Array.from({ length: 5 }, () => completeOf(project));
  await ledger.change(
    batch.map(({ id }) => `call ${id}`),
    () => client.ask('POST', `/v2/${project}/calls/complete`, { batch }),
    batch.map(({ id, output }) => reads(id, project, { output })),
  );
};

/** Sends large and small writes to one call at the same time. */
export const changeLargeCalls: Writer = async (client, project, ledger) => {
  const text = randomUUID().repeat(10_000);
  const start = { ...callOf(project), inputs: { text } };
  const end = { project_id: project, id: start.id, ended_at: new Date().toISOString(), output: text, summary: {} };
  const name = { project_id: project, call_id: start.id, display_name: 'renamed' };
  const steps: [path: string, body: object][] = [
    ['/call/start', { start }],
    ['/call/update', name],
    ['/call/end', { end }],
  ];
  await ledger.change(
    [`call ${start.id}`],
    () => Promise.all(steps.map(([path, body]) => client.ask('POST', path, body))),
    [reads(start.id, project, { inputs: start.inputs, output: text, display_name: 'renamed' })],
  );
};

/** Deletes a parent: its child goes with it, and neither comes back. */
export const deleteCalls: Writer = async (client, project, ledger) => {
  const parent = completeOf(project);
  const child = { ...completeOf(project), trace_id: parent.trace_id, parent_id: parent.id };
  const things = [parent, child].map(({ id }) => `call ${id}`);
  const batch = [parent, child];
  await ledger.change(
    things,
    () => client.ask('POST', `/v2/${project}/calls/complete`, { batch }),
    batch.map(({ id, output }) => reads(id, project, { output })),
  );
  const removal = { project_id: project, call_ids: [parent.id] };
  const gone = batch.map(({ id }): Check => {
    return async (reader) => {
      const { call } = await reader.ask('POST', '/call/read', { project_id: project, id });
      return call === null ? null : 'a deleted call is there again';
    };
  });
  await ledger.change(things, () => client.ask('POST', '/calls/delete', removal), gone);
};

/** Sends spans of two resources; each becomes a call. */
export const exportSpans: Writer = async (client, project, ledger) => {
  const traceId = randomBytes(16).toString('hex');
  const spans = Array.from({ length: 3 }, () => ({
    traceId,
    spanId: randomBytes(8).toString('hex'),
    name: 'step',
    startTimeUnixNano: `${Date.now()}000000`,
    endTimeUnixNano: `${Date.now() + 1}000000`,
    attributes: [{ key: 'input.value', value: { stringValue: traceId } }],
  }));
  const [entity = '', name = ''] = project.split('/');
  const attributes = [
    { key: 'wandb.entity', value: { stringValue: entity } },
    { key: 'wandb.project', value: { stringValue: name } },
  ];
  const body = { resourceSpans: [{ resource: { attributes }, scopeSpans: [{ scope: {}, spans }] }] };
  const check: Check = async (reader) => {
    const asked = { project_id: project, filter: { trace_ids: [traceId] }, columns: ['id', 'op_name', 'inputs'] };
    const { json } = await reader.try('POST', '/calls/stream_query', asked);
    const found = [json].flat().filter((call) => JSON.stringify(call?.inputs ?? '').includes(traceId));
    return expectEqual(found.length, spans.length);
  };
  await ledger.change([`trace ${traceId}`], () => client.ask('POST', '/otel/v1/traces', body), [check]);
};

function reads(id: string, project: string, expected: Record<string, unknown>): Check {
  return async (client) => {
    const { call } = await client.ask('POST', '/call/read', { project_id: project, id });
    if (call === null) return 'the call is lost';
    return expectEqual(Object.fromEntries(Object.keys(expected).map((key) => [key, call[key]])), expected);
  };
}

function callOf(project: string) {
  const names = { project_id: project, id: randomUUID(), trace_id: randomUUID(), op_name: 'work' };
  return { ...names, started_at: new Date().toISOString(), attributes: {}, inputs: {} };
}

export function completeOf(project: string) {
  const call = callOf(project);
  return { ...call, output: call.id, summary: {}, ended_at: new Date().toISOString() };
}
