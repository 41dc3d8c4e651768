export type StartClient = 'python' | 'js' | 'otel' | 'openai';

type Place = { url: string; projectId: string };
type StartLines = { environment: string; language: string; program: string };

/** The variables and the smallest program that trace a first call. The key is not known here: only its hash is stored. */
export function startLines(client: StartClient, place: Place): StartLines {
  return programs[client](place);
}

const programs: Record<StartClient, (place: Place) => StartLines> = {
  python: ({ url, projectId }) => ({
    environment: `pip install weave\nexport WANDB_BASE_URL=${url}\nexport WANDB_API_KEY=YOUR_KEY`,
    language: 'Python',
    program: `import weave

weave.init("${projectId}")

@weave.op
def greet(name: str) -> str:
    return f"hello {name}"

greet("world")`,
  }),

  js: ({ url, projectId }) => ({
    environment: `npm install weave\nexport WANDB_BASE_URL=${url}\nexport WF_TRACE_SERVER_URL=${url}\nexport WANDB_API_KEY=YOUR_KEY`,
    language: 'JavaScript',
    program: `import * as weave from 'weave';

await weave.init('${projectId}');
const greet = weave.op(function greet(name) {
  return \`hello \${name}\`;
});
await greet('world');`,
  }),

  otel: ({ url, projectId }) => ({
    environment: `export OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=${url}/otel/v1/traces
export OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/protobuf
export OTEL_EXPORTER_OTLP_TRACES_HEADERS=wandb-api-key=YOUR_KEY,project_id=${projectId}`,
    language: 'Python',
    program: `from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

trace.set_tracer_provider(TracerProvider())
trace.get_tracer_provider().add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))

with trace.get_tracer("my-app").start_as_current_span("greet") as span:
    span.set_attribute("input.value", "world")`,
  }),

  openai: ({ url, projectId }) => ({
    environment: `pip install openai\nexport OPENAI_BASE_URL=${url}/v1\nexport OPENAI_API_KEY=YOUR_KEY`,
    language: 'Python',
    program: `from openai import OpenAI

client = OpenAI(default_headers={"X-Heddle-Project": "${projectId}"})
answer = client.chat.completions.create(
    model="heddle/tiny",
    messages=[{"role": "user", "content": "Hi"}],
)
print(answer.choices[0].message.content)`,
  }),
};
