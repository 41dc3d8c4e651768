import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { embed, generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';

/** The AI SDK's telemetry: text with a tool, streamed text, an embedding. */
const provider = new NodeTracerProvider({
  resource: resourceFromAttributes({ 'service.name': 'vercel-ai-app' }),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${process.env.OTLP_URL}/v1/traces` }))],
});
provider.register(); // so that a span knows which one it is inside of
const models = createOpenAICompatible({ name: 'stub', baseURL: process.env.MODEL_URL!, includeUsage: true });
const experimental_telemetry = {
  isEnabled: true,
  tracer: provider.getTracer('ai'),
  functionId: 'weather',
  metadata: { sessionId: 'session-1', userId: 'user-1' },
};

await generateText({
  model: models('stub-model'),
  system: 'Be brief.',
  prompt: 'How is the weather in Paris?',
  temperature: 0.5,
  tools: {
    weather: tool({
      description: 'The weather of a city',
      inputSchema: jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } }),
      execute: async ({ city }) => `sunny in ${city}`,
    }),
  },
  stopWhen: stepCountIs(3),
  experimental_telemetry,
});
await streamText({ model: models('stub-model'), prompt: 'And tomorrow?', experimental_telemetry }).consumeStream();
await embed({ model: models.textEmbeddingModel('stub-embed'), value: 'one', experimental_telemetry });
await provider.shutdown();
