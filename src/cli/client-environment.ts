/** The kinds of clients that `heddle env` knows. */
export const clients = ['python', 'js', 'otel', 'openai', 'art'] as const;
export type Client = (typeof clients)[number];

/** What a client needs to know: where the server is, a key, and a project to write to. */
export type Place = { url: string; key: string; project: string };

export type ClientEnvironment = { title: string; variables: Record<string, string>; notes: string[] };

/** The environment that points an unmodified client at this server. */
export function clientEnvironment(client: Client, place: Place): ClientEnvironment {
  return environments[client](place);
}

/** Lines for a shell. The comments come last, so that `eval $(heddle env …)` without quotes sets the variables too. */
export function shellLines({ title, variables, notes }: ClientEnvironment): string {
  const exports = Object.entries(variables).map(([name, value]) => `export ${name}=${quoted(value)}`);
  return [...exports, ...[title, ...notes].map((line) => `# ${line}`)].map((line) => `${line}\n`).join('');
}

const environments: Record<Client, (place: Place) => ClientEnvironment> = {
  python: ({ url, key }) => ({
    title: 'Python: pip install weave, then weave.init("my-project")',
    variables: { WANDB_BASE_URL: url, WANDB_API_KEY: key },
    notes: ['WANDB_BASE_URL is enough: all tracing paths are also served under /traces.'],
  }),

  js: ({ url, key, project }) => {
    const variables = { WANDB_BASE_URL: url, WF_TRACE_SERVER_URL: url, WANDB_API_KEY: key };
    if (url.startsWith('https:')) {
      const title = 'JavaScript: npm install weave, then await weave.init("my-project")';
      return { title, variables, notes: [] };
    }
    const title = `JavaScript: npm install weave, then await weave.init("${project}")`;
    const note = 'Over plain http, give the project as entity/project: this SDK looks up the entity over https only.';
    return { title, variables, notes: [note, 'The links it prints also begin with https.'] };
  },

  otel: ({ url, key, project }) => {
    const headers = `wandb-api-key=${key},project_id=${project}`;
    const own = `TRACELOOP_BASE_URL=${quoted(`${url}/otel`)} TRACELOOP_HEADERS=${quoted(headers)}`;
    return {
      title: 'Any OpenTelemetry exporter for OTLP over HTTP. Set project_id to your project.',
      variables: {
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/otel/v1/traces`,
        OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf',
        OTEL_EXPORTER_OTLP_TRACES_HEADERS: headers,
      },
      notes: [
        `OpenLLMetry uses its own variables: export ${own} TRACELOOP_METRICS_ENABLED=false`,
        'Send logs to /otel/v1/logs: GenAI events are attached to their spans. Metrics are accepted but not stored.',
      ],
    };
  },

  openai: ({ url, key }) => ({
    title: 'The openai SDKs and libraries built on them: OpenAI() without arguments.',
    variables: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: key },
    notes: [`GET ${url}/v1/models lists the models.`],
  }),

  art: ({ url, key }) => ({
    title: `OpenPipe ART: backend = ServerlessBackend(base_url="${url}/v1")`,
    variables: { WANDB_API_KEY: key, WANDB_BASE_URL: url, WANDB_ERROR_REPORTING: 'false' },
    notes: [
      'ART reads the address of the training service only from that argument, not from a variable.',
      'WANDB_BASE_URL also sends its runs and checkpoints to this server.',
    ],
  }),
};

function quoted(value: string): string {
  return /^[\w./:@=,+-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}
