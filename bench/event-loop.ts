import { endpoints } from '../src/contract/endpoints.ts';
import { hostileBodies } from '../src/http/testing/hostile-bodies.ts';
import { startProbedServer } from '../src/http/testing/probed-server.ts';
import { honestBodies } from './support/honest-bodies.ts';

/**
 * The longest step of the event loop for the largest bodies of each endpoint, by kind of body: hostile ones made from the
 * schemas, and honest ones that make the handlers work. `node bench/event-loop.ts /table/ 512` measures the paths that
 * contain a word, with bodies of up to so many KiB instead of the limits.
 */

const [word = '', kib = '32768'] = process.argv.slice(2);
const project = 'ent/p';
const sizeOf = (takesData: boolean | undefined) =>
  Math.min(Number(kib), takesData ? 32 * 1024 : 4 * 1024) * 1024 - 1000;

const server = await startProbedServer();
const call = { project_id: project, id: '0'.repeat(16), trace_id: '0'.repeat(32), op_name: 'o' };
const times = { started_at: '2026-01-01T00:00:00Z', ended_at: '2026-01-01T00:00:01Z' };
await server.post(
  '/v2/ent/p/calls/complete',
  JSON.stringify({ batch: [{ ...call, ...times, inputs: {}, summary: {}, attributes: {} }] }),
);
await server.longestStep();

const rows: { path: string; kind: string; status: number; cpuMs: number; delayMs: number }[] = [];

async function measure(path: string, kind: string, body: string, contentType?: string): Promise<string> {
  const { status, text } = await server
    .post(path, body, contentType)
    .catch((error) => ({ status: 0, text: String(error) }));
  const { cpuMs, delayMs } = await server.longestStep();
  rows.push({ path, kind, status, cpuMs, delayMs });
  return text;
}

for (const endpoint of endpoints) {
  if (!endpoint.body || endpoint.multipart || endpoint.bytes || endpoint.method !== 'POST') continue;
  const path = endpoint.path.replace('{entity}/{project}', project).replaceAll(/\{\w+\}/g, 'x');
  if (!path.includes(word)) continue;
  for (const { kind, body } of hostileBodies(endpoint, sizeOf(endpoint.takesData), project))
    await measure(path, kind, body);
}
for (const { path, kind, body, contentType } of honestBodies(project, sizeOf(true), sizeOf(false))) {
  if (path.includes(word))
    await measure(path, kind, typeof body === 'string' ? body : await body(measure), contentType);
}

rows.sort((a, b) => b.cpuMs - a.cpuMs);
for (const { path, kind, status, cpuMs, delayMs } of rows.slice(0, 60)) {
  const place = `${path} ${kind}`.padEnd(80);
  process.stdout.write(
    `${place} ${status}  ${cpuMs.toFixed(0).padStart(6)} ms of processor  ${delayMs.toFixed(0).padStart(6)} ms of delay\n`,
  );
}
await server.close();
