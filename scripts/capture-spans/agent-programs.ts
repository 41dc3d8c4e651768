/** The programs by the name of their fixture: the environment they run in and the variables they are run with. */
export const agentPrograms: Record<string, { environment: string; program: string; env?: Record<string, string> }> = {
  agno: { environment: 'agno', program: 'agno_app.py' },
  'openai-agents': { environment: 'openai-agents', program: 'openai_agents_app.py' },
  'openai-agents-logfire': { environment: 'openai-agents', program: 'openai_agents_logfire_app.py' },
  llamaindex: { environment: 'llamaindex', program: 'llamaindex_app.py' },
  strands: { environment: 'strands', program: 'strands_app.py' },
  'strands-latest': {
    environment: 'strands',
    program: 'strands_app.py',
    env: { OTEL_SEMCONV_STABILITY_OPT_IN: 'gen_ai_latest_experimental' },
  },
  'openai-v2': {
    environment: 'openai-v2',
    program: 'openai_v2_app.py',
    env: { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true' },
  },
  'openai-v2-no-content': { environment: 'openai-v2', program: 'openai_v2_app.py' },
  'openai-v2-spans': {
    environment: 'openai-v2-new',
    program: 'openai_v2_app.py',
    env: {
      OTEL_SEMCONV_STABILITY_OPT_IN: 'gen_ai_latest_experimental',
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'SPAN_ONLY',
    },
  },
  'openai-v2-events': {
    environment: 'openai-v2-new',
    program: 'openai_v2_app.py',
    env: {
      OTEL_SEMCONV_STABILITY_OPT_IN: 'gen_ai_latest_experimental',
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'EVENT_ONLY',
      OTEL_INSTRUMENTATION_GENAI_EMIT_EVENT: 'true',
    },
  },
  'logfire-openai': { environment: 'anthropic', program: 'logfire_openai_app.py' },
  'logfire-anthropic': { environment: 'anthropic', program: 'anthropic_app.py', env: { TRACER: 'logfire' } },
  anthropic: { environment: 'anthropic', program: 'anthropic_app.py', env: { TRACER: 'openinference' } },
  'anthropic-openllmetry': { environment: 'anthropic', program: 'anthropic_app.py', env: { TRACER: 'openllmetry' } },
  smolagents: { environment: 'smolagents', program: 'smolagents_app.py' },
  langgraph: { environment: 'langgraph', program: 'langgraph_app.py' },
  'langgraph-js': { environment: 'langgraph-js', program: 'langgraph_app.mjs' },
  'langfuse-openai': { environment: 'langfuse', program: 'langfuse_openai_app.py' },
  bedrock: { environment: 'bedrock', program: 'bedrock_app.py', env: { TRACER: 'openinference' } },
  'bedrock-openllmetry': { environment: 'bedrock', program: 'bedrock_app.py', env: { TRACER: 'openllmetry' } },
  dspy: { environment: 'dspy', program: 'dspy_app.py' },
};
