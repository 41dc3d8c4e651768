import { createServer, type Server } from 'node:http';
import { anthropicMessages } from './agent-stub/anthropic.ts';
import { bedrockConverse } from './agent-stub/bedrock.ts';
import { cohereChat } from './agent-stub/cohere.ts';
import { gemini, geminiStream } from './agent-stub/gemini.ts';
import { openAiChat } from './agent-stub/openai-chat.ts';
import { openAiResponses } from './agent-stub/openai-responses.ts';
import type { Billed, Dialect } from './agent-stub/scenario.ts';

/**
 * A provider that speaks the APIs of OpenAI, Anthropic, Google, Bedrock and Cohere, and bills: every answer has an id and
 * token counts of its own, and `takeBill` returns what was billed since it was last called.
 */
export async function startAgentStub(): Promise<{ url: string; server: Server; takeBill(): Billed[] }> {
  const bill: Billed[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const path = request.url!.split('?')[0]!;
    const dialect = dialects.find((each) => path.endsWith(each.path));
    if (!dialect) return response.writeHead(404).end();
    const body = JSON.parse(Buffer.concat(chunks).toString());
    const { answer, events, billed } = dialect.answer(body, bill.length + 1, path);
    bill.push(billed);
    if (!body.stream && !dialect.isStream) {
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events) response.write(event);
    return response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}/v1`, server, takeBill: () => bill.splice(0) };
}

const dialects: Dialect[] = [
  ...[openAiChat, openAiResponses, anthropicMessages, cohereChat, bedrockConverse],
  ...[gemini, geminiStream],
];
