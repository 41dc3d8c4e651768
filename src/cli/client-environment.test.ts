import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { type Client, clientEnvironment, shellLines } from './client-environment.ts';

const place = { url: 'http://127.0.0.1:7400', key: 'KEY', project: 'ada/shop' };

test.each<[Client, Record<string, string>]>([
  ['python', { WANDB_BASE_URL: 'http://127.0.0.1:7400', WANDB_API_KEY: 'KEY' }],
  [
    'js',
    { WANDB_BASE_URL: 'http://127.0.0.1:7400', WF_TRACE_SERVER_URL: 'http://127.0.0.1:7400', WANDB_API_KEY: 'KEY' },
  ],
  [
    'otel',
    {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:7400/otel/v1/traces',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'wandb-api-key=KEY,project_id=ada/shop',
    },
  ],
  ['openai', { OPENAI_BASE_URL: 'http://127.0.0.1:7400/v1', OPENAI_API_KEY: 'KEY' }],
  ['art', { WANDB_API_KEY: 'KEY', WANDB_BASE_URL: 'http://127.0.0.1:7400', WANDB_ERROR_REPORTING: 'false' }],
])('%s gets its variables', (client, variables) => {
  expect(clientEnvironment(client, place).variables).toEqual(variables);
});

test('over plain http JavaScript is told to name its entity; over https it need not', () => {
  expect(shellLines(clientEnvironment('js', place))).toContain('weave.init("ada/shop")');
  const secure = clientEnvironment('js', { ...place, url: 'https://heddle.example' });
  expect(secure.title).toContain('weave.init("my-project")');
  expect(secure.variables.WANDB_BASE_URL).toBe('https://heddle.example');
});

test('ART is told the address in its constructor, the only place where it takes one', () => {
  expect(shellLines(clientEnvironment('art', place))).toContain(
    'ServerlessBackend(base_url="http://127.0.0.1:7400/v1")',
  );
});

test('OpenLLMetry, which reads none of them, is told its own, without metrics', () => {
  const [own] = clientEnvironment('otel', place).notes;
  expect(own).toContain('TRACELOOP_BASE_URL=http://127.0.0.1:7400/otel ');
  expect(own).toContain('TRACELOOP_HEADERS=wandb-api-key=KEY,project_id=ada/shop TRACELOOP_METRICS_ENABLED=false');
});

test.each(['eval "$LINES"', 'eval $LINES'])('a shell takes the lines by %s, whatever is in them', (take) => {
  const project = "ada/it's $HOME `date`";
  const lines = shellLines(clientEnvironment('otel', { ...place, project }));
  const script = `${take}; printf %s "$OTEL_EXPORTER_OTLP_TRACES_HEADERS"`;
  const said = execFileSync('sh', ['-c', script], { env: { PATH: process.env.PATH, HOME: '/nobody', LINES: lines } });
  expect(String(said)).toBe(`wandb-api-key=KEY,project_id=${project}`);
});
