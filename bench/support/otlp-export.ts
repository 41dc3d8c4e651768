import { prose } from './prose.ts';
import { randomFrom } from './random.ts';

/** An export of one trace of chat spans, about 5 kB each, as OTLP/JSON; ids are other for every seed. */
export function exportOfChats(spans: number, seed: number, startedAt = 1_700_000_000_000_000): string {
  const random = randomFrom(seed + 1);
  const hex = (length: number) => Array.from({ length }, () => random.below(16).toString(16)).join('');
  const traceId = hex(32);
  const rootId = hex(16);
  const span = (_: unknown, index: number) => ({
    traceId,
    spanId: index === 0 ? rootId : hex(16),
    ...(index === 0 ? {} : { parentSpanId: rootId }),
    name: index === 0 ? 'answer a question' : `chat step ${index % 4}`,
    kind: 3,
    startTimeUnixNano: `${startedAt + index * 1000}000`,
    endTimeUnixNano: `${startedAt + index * 1000 + 900_000}000`,
    attributes: Object.entries(attributes()).map(([key, value]) => ({ key, value: anyValue(value) })),
    status: { code: 1 },
  });
  const attributes = (): Record<string, string | number> => {
    const question = prose(random, 1500);
    const answer = prose(random, 700);
    return {
      'openinference.span.kind': 'LLM',
      'llm.model_name': 'stub-model',
      'llm.invocation_parameters': '{"model": "stub-model", "temperature": 0.5}',
      'llm.token_count.prompt': 300 + random.below(100),
      'llm.token_count.completion': 100 + random.below(100),
      'session.id': `session-${seed}`,
      'user.id': 'user-1',
      'server.address': 'localhost',
      'server.port': 8000,
      'input.mime_type': 'application/json',
      'input.value': JSON.stringify({ messages: [{ role: 'user', content: question }], temperature: 0.5 }),
      'llm.input_messages.0.message.role': 'user',
      'llm.input_messages.0.message.content': question,
      'output.mime_type': 'application/json',
      'output.value': JSON.stringify({ choices: [{ message: { role: 'assistant', content: answer } }] }),
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.content': answer,
    };
  };
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'bench' } }] },
        scopeSpans: [{ scope: { name: 'bench', version: '1' }, spans: Array.from({ length: spans }, span) }],
      },
    ],
  });
}

function anyValue(value: string | number) {
  return typeof value === 'string' ? { stringValue: value } : { intValue: value };
}
