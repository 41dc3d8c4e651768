import { setSession, setUser } from '@arizeai/openinference-core';
import { LangChainInstrumentation } from '@arizeai/openinference-instrumentation-langchain';
import * as callbacks from '@langchain/core/callbacks/manager';
import { tool } from '@langchain/core/tools';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import { context } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { z } from 'zod';

/** LangGraph for JavaScript, instrumented by OpenInference. */
const provider = new NodeTracerProvider({
  resource: resourceFromAttributes({ 'service.name': 'langgraph-js-app' }),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${process.env.OTLP_URL}/v1/traces` }))],
});
provider.register();
new LangChainInstrumentation({ tracerProvider: provider }).manuallyInstrument(callbacks);

const schema = z.object({ city: z.string() });
const weather = tool(({ city }) => `sunny in ${city}`, {
  name: 'weather',
  description: 'The weather of a city.',
  schema,
});
const forecast = tool(
  ({ city }) => {
    throw new Error(`no forecast for ${city}`);
  },
  { name: 'forecast', description: 'The forecast for a city.', schema },
);
const llm = new ChatOpenAI({
  model: 'gpt-4o-mini',
  apiKey: 'stub',
  configuration: { baseURL: process.env.MODEL_URL },
  streamUsage: true,
});
const agent = createReactAgent({
  llm,
  tools: [weather, forecast],
  prompt: 'You tell the weather. Be brief.',
  name: 'weather_agent',
});
const config = { configurable: { thread_id: 'thread-1' }, metadata: { user_id: 'user-1' } };
const ask = (content) => ({ messages: [{ role: 'user', content }] });
const who = setUser(setSession(context.active(), { sessionId: 'thread-1' }), { userId: 'user-1' });
await agent.invoke(ask('How is the weather in Paris?'), config);
await context.with(who, async () => {
  const stream = await agent.stream(ask('And how will it be tomorrow?'), { ...config, streamMode: 'messages' });
  for await (const _ of stream);
});
await provider.shutdown();
