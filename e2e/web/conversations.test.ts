import type { Locator, Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { seriousFaults } from './accessibility.ts';
import { browserPath } from './browser.ts';
import { browserForFile } from './browser-for-file.ts';

/** A square of 64 pixels. */
const base64 =
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAATklEQVR42u3PMQ0AAAgDsPmXwo3ASeAmaVIDTWZ/ExAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBC4FN1h4TxpawzYAAAAAElFTkSuQmCC';

describe.skipIf(browserPath === null)('conversations in a browser', () => {
  const web = browserForFile();
  let page: Page;
  beforeEach(() => {
    ({ page } = web);
  });

  /** A request of Vercel's SDK, as it exports it. */
  const attributes = {
    'ai.operationId': 'ai.generateText.doGenerate',
    'operation.name': 'ai.generateText.doGenerate',
    'ai.model.id': 'gpt-4o',
    'session.id': 'talk',
    'ai.settings.temperature': '0.5',
    'ai.prompt.tools': JSON.stringify([
      { type: 'function', name: 'measure', inputSchema: { type: 'object', properties: { x: { type: 'number' } } } },
    ]),
    'ai.prompt.messages': JSON.stringify([
      { role: 'system', content: 'You describe pictures.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What colour is this?' },
          { type: 'image', image: base64, mediaType: 'image/png' },
          { type: 'image', image: 'https://elsewhere.example/x.png' },
        ],
      },
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'call_1', toolName: 'measure', input: { x: 32, y: 32 } }],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'call_1',
            toolName: 'measure',
            output: { type: 'json', value: { hue: 185 } },
          },
        ],
      },
    ]).replace('"y":32', '"y":107505301260286111'),
    'ai.response.text': 'It is teal.',
    'ai.response.reasoning': 'A hue of 185 is between green and blue.',
  };

  async function sendSpan(): Promise<void> {
    const span = {
      ...{
        traceId: '0af7651916cd43dd8448eb211c80319c',
        spanId: 'b7ad6b7169203331',
        name: 'ai.generateText.doGenerate',
      },
      ...{ startTimeUnixNano: String(Date.now() * 1e6), endTimeUnixNano: String((Date.now() + 900) * 1e6) },
      attributes: Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } })),
    };
    const response = await fetch(`${web.server.url}/otel/v1/traces`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${web.server.key}`,
        'content-type': 'application/json',
        project_id: web.project,
      },
      body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
    });
    expect(response.status).toBe(200);
  }

  test('lists show what was asked and answered, and a span of another SDK is read with its picture', async () => {
    await sendSpan();
    await web.open('threads');
    await page.getByRole('row').filter({ hasText: 'talk' }).getByText('What colour is this?').waitFor();
    await web.open('traces');
    const row = page.getByRole('row').filter({ hasText: 'What colour is this?' });
    await row.getByText('It is teal.', { exact: true }).waitFor();
    await row.click();
    const conversation = page.getByRole('list', { name: 'Conversation' });
    await conversation.getByText('You describe pictures.').waitFor();
    await conversation.getByText('It is teal.').waitFor();
    await conversation.getByRole('tree', { name: 'Call of measure' }).getByText('32').first().waitFor();
    await conversation.getByRole('tree', { name: 'Result' }).getByText('185').waitFor();
    await conversation.getByText('Reasoning').click();
    await conversation.getByText('between green and blue').waitFor();
    const picture = conversation.getByRole('img');
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(64);
    await conversation.getByText('which is not loaded').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
  });

  test('a span of another SDK opens in the playground with its messages, picture, tools and settings', async () => {
    await sendSpan();
    await web.open('traces');
    await page.getByRole('row').filter({ hasText: 'What colour is this?' }).click();
    await page.getByRole('link', { name: 'Open in playground' }).click();
    await expect.poll(() => page.getByLabel('System prompt').inputValue()).toBe('You describe pictures.');
    expect(await page.getByRole('textbox', { name: 'Temperature' }).inputValue()).toBe('0.5');
    const chat = page.getByRole('region', { name: /^Chat with/ });
    await chat.getByText('What colour is this?').waitFor();
    await chat.getByText('measure({"x":32,"y":107505301260286111})').waitFor();
    await chat.getByText('{"hue":185}').waitFor();
    await page.getByText('Also sent: the tools measure').waitFor();
    expect(await seriousFaults(page)).toEqual([]);

    const sent = page.waitForRequest((request) => request.url().endsWith('/completions/create_stream'));
    await page.getByRole('button', { name: 'Send' }).click();
    const body = (await sent).postData() ?? '';
    expect(body).toContain(String.raw`"arguments":"{\"x\":32,\"y\":107505301260286111}"`);
    const { messages, tools } = JSON.parse(body).inputs;
    expect(messages.map(({ role }: { role: string }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
    expect(messages[1].content).toMatchObject([
      { type: 'text', text: 'What colour is this?' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${base64}` } },
      { type: 'image_url', image_url: { url: 'https://elsewhere.example/x.png' } },
    ]);
    expect(messages[3]).toMatchObject({ tool_call_id: 'call_1', content: '{"hue":185}' });
    expect(tools).toMatchObject([{ type: 'function', function: { name: 'measure' } }]);
  });

  test('a span of another SDK becomes a row with its messages, tools and answer, and fills a dataset of texts', async () => {
    await sendSpan();
    await web.open('traces');
    const addTo = async (act: (dialog: Locator) => Promise<void>) => {
      await page.getByRole('checkbox', { name: 'Select all rows' }).check();
      await page.getByRole('button', { name: 'Add to dataset' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('The first row').waitFor();
      await act(dialog);
      expect(await seriousFaults(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByRole('table', { name: 'Rows' }).getByRole('row').nth(1).waitFor();
    };
    const storedRows = async (object_id: string) => {
      const read = { project_id: web.project, object_id, digest: 'latest' };
      const digest = (await web.server.post('/obj/read', read)).json.obj.val.rows.split('/').at(-1);
      return web.server.post('/table/query', { project_id: web.project, digest });
    };
    await addTo(async (dialog) => {
      await dialog.getByText('leave out: reasoning').waitFor();
      await dialog.getByLabel('Name of the dataset').fill('chats');
    });
    const { text, json } = await storedRows('chats');
    expect(text).toContain(String.raw`"arguments":"{\"x\":32,\"y\":107505301260286111}"`);
    const { messages, tools, output, source_call } = json.rows[0].val;
    expect(Object.keys(json.rows[0].val)).toEqual(['messages', 'tools', 'output', 'source_call']);
    expect(messages.map(({ role }: { role: string }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
    expect(messages[1].content).toContainEqual({
      ...{ type: 'image_url', image_url: { url: `data:image/png;base64,${base64}` } },
    });
    expect(tools).toMatchObject([{ type: 'function', function: { name: 'measure' } }]);
    expect(output).toBe('It is teal.');
    expect(source_call).toContain(`weave:///${web.project}/call/`);

    const rows = [{ question: 'Why?', expected: 'So.' }];
    const { digest } = (await web.server.post('/table/create', { table: { project_id: web.project, rows } })).json;
    const val = {
      ...{ _type: 'Dataset', _class_name: 'Dataset', _bases: ['Object', 'BaseModel'], name: 'texts' },
      rows: `weave:///${web.project}/table/${digest}`,
    };
    await web.server.post('/obj/create', { obj: { project_id: web.project, object_id: 'texts', val } });
    await web.open('traces');
    await addTo(async (dialog) => {
      await dialog.getByRole('combobox', { name: 'Dataset' }).selectOption('texts');
      await dialog.getByRole('combobox', { name: 'Field for question' }).waitFor();
    });
    const added = (await storedRows('texts')).json.rows[1].val;
    expect(added).toMatchObject({ expected: 'It is teal.' });
    expect(added.question).toMatchObject([
      { type: 'text', text: 'What colour is this?' },
      { type: 'image_url' },
      { type: 'image_url' },
    ]);
  });

  test('a picture that a function was given is beside the JSON', async () => {
    const time = new Date().toISOString();
    const call = {
      ...{ project_id: web.project, id: crypto.randomUUID(), trace_id: crypto.randomUUID(), op_name: 'resize' },
      ...{ started_at: time, ended_at: time, attributes: {}, summary: {}, output: { width: 64 } },
      inputs: { photo: { type: 'Buffer', data: [...Buffer.from(base64, 'base64')] }, width: 64 },
    };
    await web.server.post(`/v2/${web.project}/calls/complete`, { batch: [call] });
    await web.open(`traces?call=${call.id}`);
    const media = page.getByRole('list', { name: 'Media' });
    await media.getByText('inputs.photo').waitFor();
    const picture = media.getByRole('img');
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(64);
  });

  test('a prompt is shown as messages with its variables marked, a scorer as its fields, the JSON one click away', async () => {
    const publish = (object_id: string, val: object) =>
      web.server.post('/obj/create', { obj: { project_id: web.project, object_id, val } });
    const prompt = {
      ...{ _type: 'MessagesPrompt', _class_name: 'MessagesPrompt', _bases: ['Prompt', 'Object', 'BaseModel'] },
      ...{ name: 'greeting', description: 'Greets a user.' },
      messages: [
        { role: 'system', content: 'Be kind to {name}.' },
        { role: 'user', content: 'Hello from {{ city }}!' },
      ],
    };
    await publish('greeting', prompt);
    await web.open('objects/greeting/versions/latest');
    const messages = page.getByRole('list', { name: 'Conversation' });
    await messages.getByText('Be kind to').waitFor();
    expect(await messages.locator('mark').allTextContents()).toEqual(['{name}', '{{ city }}']);
    await page.getByText('Greets a user.').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByRole('tab', { name: 'Value' }).click();
    await page.getByRole('tree', { name: 'Value' }).getByText('MessagesPrompt').first().waitFor();

    await publish('judge', {
      ...{ _type: 'LLMAsAJudgeScorer', _class_name: 'LLMAsAJudgeScorer', _bases: ['Scorer', 'Object', 'BaseModel'] },
      ...{ model: `weave:///${web.project}/object/greeting:latest`, scoring_prompt: 'Is {output} kind?' },
    });
    await web.open('objects/judge/versions/latest');
    await page.getByText('Is {output} kind?').waitFor();
    expect(await page.getByText('_class_name').count()).toBe(0);
    await page.getByRole('link', { name: 'greeting' }).click();
    await page.getByRole('heading', { name: 'greeting' }).waitFor();
  });
});
