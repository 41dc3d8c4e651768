import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request as the provider received it. */
type Received = { path: string; headers: IncomingHttpHeaders; body: any };

/** What the provider answers: a status and JSON, events, or anything a function writes. */
type StubAnswer =
  | { status?: number; json: unknown; headers?: Record<string, string> }
  | { events: unknown[]; isCut?: boolean }
  | ((request: IncomingMessage, response: ServerResponse) => void);

export type StubProvider = {
  /** The base address in the form of OpenAI's, with `/v1`. */
  url: string;
  /** `host:port` */
  host: string;
  received: Received[];
  /** The next answers, in order; then the usual one. */
  answers: StubAnswer[];
  close(): Promise<void>;
};

const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };

/** Its default answer to chats. */
export const usualCompletion = {
  id: 'chatcmpl-stub',
  object: 'chat.completion',
  created: 1,
  model: 'stub-1-2024',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello!' }, finish_reason: 'stop' }],
  usage,
};

/** A provider with the OpenAI protocol, outside heddle. It returns the responses that a test sets, and records requests. */
export async function startStubProvider(): Promise<StubProvider> {
  const received: Received[] = [];
  const answers: StubAnswer[] = [];
  const server = createServer(async (request, response) => {
    const sent = await text(request);
    received.push({ path: request.url!, headers: request.headers, body: sent === '' ? null : JSON.parse(sent) });
    const answer = answers.shift() ?? { json: usualCompletion };
    if (typeof answer === 'function') return answer(request, response);
    if ('json' in answer) {
      response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
      return response.end(JSON.stringify(answer.json));
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of answer.events) response.write(`data: ${JSON.stringify(event)}\n\n`);
    if (answer.isCut) return setTimeout(() => response.destroy(), 20);
    response.end('data: [DONE]\n\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}/v1`,
    host,
    received,
    answers,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
