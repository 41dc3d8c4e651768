import { providerOfHost } from '../../domain/prices/provider-names.ts';
import type { RawSpan } from '../raw-span.ts';
import { opened, plainText, valueAt } from '../tree.ts';
import { unquote } from './unquoted.ts';

/** The provider of the model, as the span names it: `openai`, `gcp.vertex_ai`, `groq.chat`; empty if it names none. */
export function providerOf(span: RawSpan): string {
  const word = firstText(span, providerKeys);
  if (!/^$|openai|^custom/i.test(word)) return word;
  // Other providers are also called through OpenAI's client: the address identifies them.
  return providerOfHost(firstText(span, addressKeys)) || word;
}

const providerKeys = [
  'gen_ai.provider.name',
  'gen_ai.system',
  'llm.provider',
  'ai.model.provider',
  'mlflow.llm.provider',
  'llm.system',
  'llm.vendor',
].map((key) => key.split('.'));

const addressKeys = ['server.address', 'gen_ai.openai.api_base', 'llm.openai.api_base', 'url.full'].map((key) =>
  key.split('.'),
);

/** The tracer: the name of the instrumentation scope. Empty if it has none. */
export function tracerOf({ scope }: RawSpan): string {
  const fields = opened(scope ?? undefined);
  return fields instanceof Map ? plainText(fields.get('name')) : '';
}

function firstText({ attributes: { tree } }: RawSpan, keys: string[][]): string {
  for (const path of keys) {
    const text = tree.has(path[0]!) ? plainText(valueAt(tree, path)) : '';
    if (text !== '') return String(unquote(text)).slice(0, textMax);
  }
  return '';
}

/** Names are short. */
const textMax = 200;
