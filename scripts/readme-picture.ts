import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type Heddle, newDataDirectory, startHeddle } from '../e2e/harness/heddle.ts';
import { buildPage, openBrowser, signIn } from '../e2e/web/browser.ts';

/** `node scripts/readme-picture.ts` makes the picture of the README: the traces of a support agent, with one trace open. */
const picture = join(import.meta.dirname, '../docs/images/traces.png');
const project = 'support';
const questions = [
  'Where is my order 4711, and will the storm in Hamburg delay it?',
  'Can I still change the address of my parcel?',
  'My parcel arrived open. What now?',
  'Is the rain going to hold up my delivery?',
  'Why are there two parcels for one order?',
  'When does my order arrive?',
  'Please send it to my neighbour instead.',
];

await buildPage();
const heddle = await startHeddle(newDataDirectory());
const browser = await openBrowser();
try {
  await sendTraces(heddle);
  const context = await browser.newContext({ viewport: { width: 1360, height: 800 } });
  await signIn(context, heddle);
  const page = await context.newPage();
  await page.goto(`${heddle.url}/${heddle.entity}/${project}/weave/traces`);
  await page.getByRole('row').filter({ hasText: questions[0]! }).first().click();
  const call = page.getByRole('complementary', { name: 'Call' });
  await call.getByRole('treeitem').filter({ hasText: 'chat' }).last().click();
  await call.getByText('never guess').waitFor();
  await page.screenshot({ path: picture });
} finally {
  await browser.close();
  await heddle.close();
}

/** Traces of the last day, fewer at night, of which some fail. */
async function sendTraces(server: Heddle): Promise<void> {
  const spans = Array.from({ length: 60 }, (_, n) => traceOf(n)).flat();
  const resource = { attributes: attributes({ 'wandb.entity': server.entity, 'wandb.project': project }) };
  const { status, text } = await server.post('/otel/v1/traces', {
    resourceSpans: [{ resource, scopeSpans: [{ spans }] }],
  });
  if (status !== 200) throw new Error(`The spans were answered with ${status}: ${text}`);
}

function traceOf(n: number): object[] {
  const minutesAgo = 1 + n * 9 + (n % 7) * 5 + (n > 30 ? 420 : 0);
  const begin = Date.now() - minutesAgo * 60_000;
  const [traceId, rootId] = [hex(16), hex(8)];
  const question = questions[n % questions.length]!;
  const order = 4711 + n;
  const slow = 1 + ((n * 37) % 10) / 4;
  const fails = n % 9 === 5;
  const span = (name: string, from: number, seconds: number, values: Values, error?: string) => ({
    ...{ traceId, spanId: hex(8), parentSpanId: rootId, name, kind: 1 },
    startTimeUnixNano: `${begin + Math.round(from * slow * 1000)}000000`,
    endTimeUnixNano: `${begin + Math.round((from + seconds) * slow * 1000)}000000`,
    attributes: attributes(values),
    ...(error ? { status: { code: 2, message: error } } : {}),
  });
  const tool = (
    name: string,
    from: number,
    seconds: number,
    input: object,
    output: object | string,
    error?: string,
  ) => {
    const values = {
      ...{ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name },
      ...{ 'gen_ai.tool.call.arguments': JSON.stringify(input), 'gen_ai.tool.call.result': JSON.stringify(output) },
    };
    return span(name, from, seconds, values, error);
  };
  const chat = (from: number, seconds: number, tokens: number, given: object[], answer: object) => {
    const values = {
      ...{ 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'openai', 'gen_ai.request.model': 'gpt-4o' },
      ...{ 'gen_ai.conversation.id': `support-${order}` },
      ...{ 'gen_ai.usage.input_tokens': tokens + n * 7, 'gen_ai.usage.output_tokens': 96 + ((n * 13) % 60) },
      'gen_ai.input.messages': JSON.stringify(given),
      'gen_ai.output.messages': JSON.stringify([answer]),
    };
    return span('chat', from, seconds, values);
  };
  const asked = [
    message('system', 'You help customers of a shop. Use the tools, and never guess.'),
    message('user', question),
  ];
  const calls = {
    role: 'assistant',
    parts: [
      { type: 'tool_call', id: 'a', name: 'find_order', arguments: { order } },
      { type: 'tool_call', id: 'b', name: 'get_weather', arguments: { city: 'Hamburg' } },
    ],
  };
  const found = { order, status: 'in transit', parcels: 2 };
  const results = [
    { role: 'tool', parts: [{ type: 'tool_call_response', id: 'a', response: found }] },
    { role: 'tool', parts: [{ type: 'tool_call_response', id: 'b', response: { wind: 'storm until 18:00' } }] },
  ];
  const reply = message('assistant', `Order ${order} is in transit. The storm ends at 18:00, so expect it tomorrow.`);
  const root = span('support_agent', 0, 5.9, {
    ...{ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'support_agent' },
    ...{ 'gen_ai.conversation.id': `support-${order}` },
    'gen_ai.input.messages': JSON.stringify([message('user', question)]),
    'gen_ai.output.messages': JSON.stringify([reply]),
  });
  return [
    { ...root, spanId: rootId, parentSpanId: '' },
    tool('search_policies', 0.1, 0.6, { query: question }, { found: 3 }),
    chat(0.8, 1.5, 1040, asked, calls),
    tool('find_order', 2.4, 0.4, { order }, found),
    fails
      ? tool('get_weather', 2.4, 1.6, { city: 'Hamburg' }, '', 'the weather service did not answer within 5 s')
      : tool('get_weather', 2.4, 1.6, { city: 'Hamburg' }, { wind: 'storm until 18:00' }),
    chat(4.1, 1.5, 1870, [...asked, calls, ...results], reply),
    tool('check_answer', 5.65, 0.2, { answer: 'in transit' }, { isGrounded: true }),
  ];
}

function message(role: string, content: string): object {
  return { role, parts: [{ type: 'text', content }] };
}

type Values = Record<string, string | number>;

function attributes(values: Values): object[] {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: value } : { stringValue: value },
  }));
}

function hex(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}
