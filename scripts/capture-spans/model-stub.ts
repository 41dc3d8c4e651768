import { createServer, type Server } from 'node:http';

/**
 * A model that speaks as OpenAI's chat, embedding and model endpoints do and always says the same: where tools are
 * offered and none has answered it calls the first, otherwise it tells of the weather.
 */
export function startModelStub(): Promise<{ url: string; server: Server }> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString() || '{}');
    if (request.url?.endsWith('/embeddings')) return send(embeddings(body));
    if (body.stream) return stream(body);
    return send(completion(body));

    function send(answer: unknown): void {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    }

    function stream(asked: ChatRequest): void {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const chunk of completionChunks(asked)) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
      response.end('data: [DONE]\n\n');
    }
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address() as { port: number };
      resolve({ url: `http://127.0.0.1:${address.port}/v1`, server });
    });
  });
}

type ChatRequest = {
  model: string;
  messages: { role: string }[];
  tools?: { function: { name: string } }[];
};

const text = 'It is sunny in Paris.';
const usage = {
  prompt_tokens: 11,
  completion_tokens: 7,
  total_tokens: 18,
  prompt_tokens_details: { cached_tokens: 3 },
  completion_tokens_details: { reasoning_tokens: 2 },
};
const frame = { id: 'chatcmpl-stub', created: 1_700_000_000 };

function completion({ model, messages, tools }: ChatRequest) {
  const tool = messages.at(-1)?.role === 'tool' ? undefined : tools?.[0];
  const message = tool
    ? { role: 'assistant', content: null, tool_calls: [toolCall(tool.function.name)] }
    : { role: 'assistant', content: text };
  const choice = { index: 0, message, finish_reason: tool ? 'tool_calls' : 'stop', logprobs: null };
  return { ...frame, object: 'chat.completion', model: `${model}-2026`, choices: [choice], usage };
}

function toolCall(name: string) {
  return { id: 'call_1', type: 'function', function: { name, arguments: '{"city":"Paris"}' } };
}

function completionChunks({ model }: ChatRequest) {
  const chunk = (delta: object, finish_reason: string | null = null, more = {}) => ({
    ...frame,
    object: 'chat.completion.chunk',
    model: `${model}-2026`,
    choices: [{ index: 0, delta, finish_reason }],
    ...more,
  });
  const words = text.split(' ').map((word, index) => chunk({ content: index === 0 ? word : ` ${word}` }));
  const last = { ...chunk({}), choices: [], usage };
  return [chunk({ role: 'assistant', content: '' }), ...words, chunk({}, 'stop'), last];
}

function embeddings({ model, input }: { model: string; input: unknown }) {
  const count = Array.isArray(input) ? input.length : 1;
  const data = Array.from({ length: count }, (_, index) => ({ object: 'embedding', index, embedding: [0.5, -0.25] }));
  return { object: 'list', model, data, usage: { prompt_tokens: 4, total_tokens: 4 } };
}
