import { prose } from './prose.ts';
import { randomFrom } from './random.ts';

/** What one span has that the others lack. */
export type ChatDetail = {
  attributes: Record<string, string>;
  /** Stands at the beginning of the question, in the place of as many letters. */
  words: string;
  durationUs: number;
};

export type ChatOptions = { questionChars?: number; answerChars?: number; detail?: (index: number) => ChatDetail };

/**
 * An export of one trace of chat spans, about 5 kB each where nothing else is asked for, as OTLP/JSON; ids are other for
 * every seed. Times are in microseconds.
 */
export function exportOfChats(
  spans: number,
  seed: number,
  startedAt = 1_700_000_000_000_000,
  { questionChars = 1500, answerChars = 700, detail = () => noDetail }: ChatOptions = {},
): string {
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
    endTimeUnixNano: `${startedAt + index * 1000 + detail(index).durationUs}000`,
    attributes: Object.entries(attributes(detail(index))).map(([key, value]) => ({ key, value: anyValue(value) })),
    status: { code: 1 },
  });
  const attributes = ({ attributes, words }: ChatDetail): Record<string, string | number> => {
    const question = words + prose(random, questionChars).slice(words.length);
    const answer = prose(random, answerChars);
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
      ...attributes,
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

const noDetail: ChatDetail = { attributes: {}, words: '', durationUs: 900_000 };

function anyValue(value: string | number) {
  return typeof value === 'string' ? { stringValue: value } : { intValue: value };
}
