import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { fromBinary } from '@bufbuild/protobuf';
import {
  ExportLogsServiceRequestSchema,
  ExportTraceServiceRequestSchema,
} from '../../src/otel/proto/otlp.generated.ts';
import { anonymous, toFixture } from './agent-fixture.ts';
import { agentPrograms } from './agent-programs.ts';
import { startAgentStub } from './agent-stub.ts';

/**
 * Runs the agent programs of real libraries against a stub of a provider, and keeps what they export together with what
 * the provider billed in `testing/spans/agents`: `node scripts/capture-spans/capture-agents.ts ENVIRONMENTS [NAME…]`.
 * ENVIRONMENTS is a folder with an environment for each file of `requirements/agents`, named for it.
 */
const [environments, ...chosen] = process.argv.slice(2);
if (environments === undefined)
  throw new Error('usage: node scripts/capture-spans/capture-agents.ts ENVIRONMENTS [NAME…]');
const fixtures = new URL('../../testing/spans/agents/', import.meta.url);
mkdirSync(fixtures, { recursive: true });
const stub = await startAgentStub();
for (const name of chosen.length > 0 ? chosen : Object.keys(agentPrograms)) {
  const { spans, logs } = await captured(name);
  const text = toFixture({ resourceSpans: spans, resourceLogs: logs, billed: stub.takeBill() });
  writeFileSync(new URL(`${name}.json`, fixtures), anonymous(text, { environments, stubUrl: stub.url }));
  const count = spans.flatMap((each) => each.scopeSpans.flatMap((scope) => scope.spans)).length;
  process.stdout.write(`${name}: ${count} spans\n`);
}
stub.server.close();

async function captured(name: string) {
  const exported = { traces: [] as Buffer[], logs: [] as Buffer[] };
  const sink = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const bytes = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
    if (request.url?.endsWith('/v1/traces')) exported.traces.push(bytes);
    if (request.url?.endsWith('/v1/logs')) exported.logs.push(bytes);
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
  const { port } = sink.address() as { port: number };
  await runProgram(name, { MODEL_URL: stub.url, OTLP_URL: `http://127.0.0.1:${port}` });
  sink.close();
  return {
    spans: exported.traces.flatMap((body) => fromBinary(ExportTraceServiceRequestSchema, body).resourceSpans),
    logs: exported.logs.flatMap((body) => fromBinary(ExportLogsServiceRequestSchema, body).resourceLogs),
  };
}

function runProgram(name: string, addresses: Record<string, string>): Promise<void> {
  const { environment, program, env = {} } = agentPrograms[name]!;
  const folder = fileURLToPath(new URL('programs/agents/', import.meta.url));
  const isPython = program.endsWith('.py');
  const place = isPython ? folder : `${environments}/${environment}/`; // Node looks for packages where the program is
  if (!isPython) copyFileSync(folder + program, place + program);
  const command = isPython ? `${environments}/${environment}/bin/python` : process.execPath;
  const child = spawn(command, [program], {
    cwd: place,
    env: { ...process.env, ...addresses, ...env },
    stdio: 'inherit',
  });
  return new Promise((resolve, reject) => {
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${name} ended with ${code}`))));
  });
}
