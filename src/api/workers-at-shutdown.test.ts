import { spawnSync } from 'node:child_process';
import type { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { isRunning, modelProcesses } from '../chat/testing/model-processes.ts';
import { otlpBinary, otlpJson } from '../otel/testing/span.ts';
import { startTestServer } from './testing/server.ts';

test('no thread and no process survives the server', async () => {
  const threads = new Set<Worker>();
  let started = 0;
  process.on('worker', (worker: Worker) => {
    threads.add(worker);
    started++;
    worker.once('exit', () => threads.delete(worker));
  });
  const server = await startTestServer();
  const [before, startedBefore] = [threads.size, started];
  const project = await server.newProject();
  const large = 'x'.repeat(600_000);
  const value = { project_id: project, object_id: 'large', val: { text: large } };
  expect((await server.post('/obj/create', { obj: value })).status).toBe(200);
  const export_ = otlpBinary(otlpJson([{ attributes: { 'input.value': large } }]));
  const headers = { 'content-type': 'application/x-protobuf', project_id: project };
  expect((await server.post('/otel/v1/traces', export_, { headers })).status).toBe(200);
  const chat = {
    messages: [{ role: 'user', content: 'Hi' }],
    max_tokens: 4,
    structured_outputs: { choice: ['yes', 'no'] },
    chat_template: '{{ messages[0].content }}',
  };
  expect((await server.post('/v1/chat/completions', chat)).status).toBe(200);
  // Large bodies, large exports, large payloads; the model's own thread is in its process.
  expect(started - startedBefore).toBeGreaterThanOrEqual(3); // they end when idle, and are started again
  expect(modelProcesses()).toHaveLength(1);
  const { pid } = modelProcesses()[0]!;
  const { stdout } = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' });
  const processes = [pid, ...stdout.split('\n').filter(Boolean).map(Number)];
  expect(processes.length).toBeGreaterThan(2); // templates and grammars have their own
  await server.close();
  expect(threads.size).toBeLessThanOrEqual(before);
  expect(modelProcesses()).toEqual([]);
  expect(processes.filter((each) => isRunning(each))).toEqual([]);
});
