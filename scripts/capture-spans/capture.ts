import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { fromBinary } from '@bufbuild/protobuf';
import { ExportTraceServiceRequestSchema } from '../../src/otel/proto/otlp.generated.ts';
import { startModelStub } from './model-stub.ts';
import { toOtlpJson } from './otlp-json.ts';

/**
 * Runs the real tracing libraries against a stub of a model and keeps what they export in `testing/spans`, as
 * OTLP/JSON: `node scripts/capture-spans/capture.ts PYTHON [NAME…]`. PYTHON is that of an environment with
 * `requirements/NAME.txt` installed where there is one, with `requirements/main.txt` for the others.
 */
const programs: Record<string, { run: string[]; env?: Record<string, string> }> = {
  openinference: { run: ['PYTHON', 'openinference_app.py'] },
  openllmetry: { run: ['PYTHON', 'openllmetry_app.py'] },
  'pydantic-ai': { run: ['PYTHON', 'pydantic_ai_app.py'] },
  'pydantic-ai-v2': { run: ['PYTHON', 'pydantic_ai_app.py'], env: { PYDANTIC_AI_VERSION: '2' } },
  // Before its version 2 the library wrote messages as events.
  'pydantic-ai-v1': { run: ['PYTHON', 'pydantic_ai_app.py'], env: { PYDANTIC_AI_VERSION: '1' } },
  'google-adk': {
    run: ['PYTHON', 'google_adk_app.py'],
    env: { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'SPAN_ONLY' },
  },
  'google-adk-v1': { run: ['PYTHON', 'google_adk_app.py'], env: { ADK_TELEMETRY_SCHEMA_VERSION_OPT_IN: '1' } },
  langfuse: { run: ['PYTHON', 'langfuse_app.py'] },
  langsmith: { run: ['PYTHON', 'langsmith_app.py'] },
  mlflow: { run: ['PYTHON', 'mlflow_app.py'] },
  'vercel-ai': { run: ['node', 'vercel-ai.ts'] },
};

const [python, ...chosen] = process.argv.slice(2);
if (python === undefined) throw new Error('usage: node scripts/capture-spans/capture.ts PYTHON [NAME…]');
const fixtures = new URL('../../testing/spans/', import.meta.url);
mkdirSync(fixtures, { recursive: true });
const model = await startModelStub();
for (const name of chosen.length > 0 ? chosen : Object.keys(programs)) {
  const resourceSpans = await captured(name);
  // Tracebacks name the place of the environment they were made in.
  const text = toOtlpJson(resourceSpans).replaceAll(/\/[^"\s]*?\/site-packages\//g, 'site-packages/');
  writeFileSync(new URL(`${name}.json`, fixtures), `${text}\n`);
  process.stdout.write(
    `${name}: ${resourceSpans.flatMap((each) => each.scopeSpans.flatMap(({ spans }) => spans)).length} spans\n`,
  );
}
model.server.close();

async function captured(name: string) {
  const exported: Buffer[] = [];
  const sink = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const isTraces = request.url?.endsWith('/v1/traces'); // some send metrics too
    if (isTraces) exported.push(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body);
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
  const { port } = sink.address() as { port: number };
  await runProgram(name, { MODEL_URL: model.url, OTLP_URL: `http://127.0.0.1:${port}` });
  sink.close();
  return exported.flatMap((body) => fromBinary(ExportTraceServiceRequestSchema, body).resourceSpans);
}

function runProgram(name: string, environment: Record<string, string>): Promise<void> {
  const { run, env = {} } = programs[name]!;
  const [command, ...args] = run.map((word) => (word === 'PYTHON' ? python! : word));
  const child = spawn(command!, args, {
    cwd: new URL('programs/', import.meta.url),
    env: { ...process.env, ...environment, ...env },
    stdio: 'inherit',
  });
  return new Promise((resolve, reject) => {
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${name} ended with ${code}`))));
  });
}
