import { expect, it } from 'vitest';
import { otlpJson } from '../../otel/testing/span.ts';
import { testServer } from '../testing/server.ts';

const server = await testServer();

it('explains the call of a span, and answers 404 for other calls', async () => {
  const project = await server.newProject();
  const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json', project_id: project };
  const id = '00000000000000e1';
  const body = otlpJson([{ spanId: id, attributes: { 'input.value': 'hi', 'vendor.key': 1 } }]);
  await fetch(`${server.url}/v1/traces`, { method: 'POST', body, headers });
  const { json } = await server.post('/otel/spans/explain', { project_id: project, id });
  expect(json.fields).toContainEqual({ field: 'inputs', key: 'input.value', rule: 'weave', value: 'hi' });
  expect(json).toMatchObject({ passed_over: [], unread: ['vendor.key'] });

  const start = { project_id: project, op_name: 'sdk', started_at: '2024-01-01T00:00:00Z', attributes: {}, inputs: {} };
  const { json: sdk } = await server.post('/call/start', { start });
  for (const other of [sdk.id, 'nobody']) {
    const answer = await server.post('/otel/spans/explain', { project_id: project, id: other });
    expect(answer).toMatchObject({ status: 404 });
    expect(answer.text).toContain(other);
  }
});
