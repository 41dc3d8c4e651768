import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { diffText } from '../../web/src/components/diff/text-diff.ts';
import { seriousFaults } from './accessibility.ts';
import { browserPath } from './browser.ts';
import { browserForFile } from './browser-for-file.ts';

describe('differences of texts', () => {
  const shown = (before: string, after: string) =>
    diffText(before, after)
      .map(({ kind, text }) => (kind === 'same' ? text : `[${kind === 'added' ? '+' : '-'}${text}]`))
      .join('');

  test.each([
    ['The sky is blue today.', 'The sky is grey today.', 'The sky is [-blue][+grey] today.'],
    ['Be brief.', 'Be brief.', 'Be brief.'],
    ['', 'New', '[+New]'],
    ['one\ntwo\nthree\n', 'one\nthree\n', 'one\n[-two\n]three\n'],
    ['我喜欢你的天气预报', '我喜欢你的天气图', '我喜欢你的天气[-预报][+图]'],
    ['A 👩‍👩‍👧 and a dog here', 'A 👩‍👩‍👦 and a dog here', 'A [-👩‍👩‍👧][+👩‍👩‍👦] and a dog here'],
    ['Yes, it is so.', 'Nothing of that kind happened.', '[-Yes, it is so.][+Nothing of that kind happened.]'],
  ])('%j and %j', (before, after, expected) => expect(shown(before, after)).toBe(expected));

  test('contain both texts, whatever they are', () => {
    const text = (seed: number) =>
      Array.from({ length: 400 }, (_, index) => ['a', 'bee ', 'sea\n', '  ', 'née', '.'][(index * seed) % 6]).join('');
    for (const [before, after] of [
      [text(7), text(11)],
      [text(5), `${text(5)}\r\n\u2028`],
      ['x'.repeat(30_000), `${'x'.repeat(30_000)}y`],
    ] as const) {
      const pieces = diffText(before, after);
      const without = (kind: string) => pieces.map((piece) => (piece.kind === kind ? '' : piece.text)).join('');
      expect([without('added'), without('removed')]).toEqual([before, after]);
    }
  });
});

/** Needs a browser: `apt-get install chromium`. */
describe.skipIf(browserPath === null)('conversations beside each other', () => {
  const web = browserForFile();
  let page: Page;
  beforeEach(() => {
    ({ page } = web);
  });
  const base64 =
    'iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAATklEQVR42u3PMQ0AAAgDsPmXwo3ASeAmaVIDTWZ/ExAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBC4FN1h4TxpawzYAAAAAElFTkSuQmCC';
  const url = `data:image/png;base64,${base64}`;
  const system = 'Answer from the data of your tools.';

  const openai = {
    op_name: 'openai.chat.completions.create',
    inputs: {
      ...{ model: 'gpt-4o', temperature: 0.2, seed: 107505301260286 },
      messages: [
        { role: 'system', content: `${system} Be brief.` },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'How is the weather here?' },
            { type: 'image_url', image_url: { url } },
          ],
        },
        {
          ...{ role: 'assistant', content: null },
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } }],
        },
        { role: 'tool', tool_call_id: 'a', content: '{"celsius":21}' },
      ],
    },
    output: { choices: [{ index: 0, message: { role: 'assistant', content: 'It is sunny in Paris today.' } }] },
  };

  /** The same picture and question in the form of another provider, with other instructions, arguments and results. */
  const anthropic = {
    op_name: 'anthropic.messages.create',
    inputs: {
      ...{ model: 'claude', temperature: 0.7, system: `${system} Be kind.` },
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'How is the weather here?' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64 } },
          ],
        },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'b', name: 'weather', input: { city: 'Oslo' } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'b', content: '{"celsius":4}' }] },
      ],
    },
    output: { role: 'assistant', content: [{ type: 'text', text: 'It is cold in Oslo today.' }] },
  };

  async function record(...calls: Record<string, unknown>[]): Promise<string[]> {
    const batch = calls.map((call, index) => ({
      ...{ project_id: web.project, id: crypto.randomUUID(), trace_id: crypto.randomUUID() },
      ...{ attributes: {}, inputs: {}, output: null, summary: {} },
      started_at: `2026-01-01T00:00:00.${100 + index}Z`,
      ended_at: `2026-01-01T00:00:01.${100 + index}Z`,
      ...call,
    }));
    expect(await web.server.post(`/v2/${web.project}/calls/complete`, { batch })).toMatchObject({ status: 200 });
    return batch.map(({ id }) => id);
  }

  const compared = () => page.getByRole('table', { name: 'Compared calls' });
  const rowOf = (name: string) =>
    compared()
      .getByRole('row')
      .filter({ has: page.getByRole('rowheader', { name }) });

  test('calls of two providers are compared message by message, their JSON one click away', async () => {
    const failed = { ...openai, output: null, exception: 'RateLimitError: too many requests' };
    const ids = await record(openai, anthropic, failed);
    await web.open(`compare?calls=${ids}`);
    const instructions = rowOf('Different system');
    await instructions.waitFor();
    expect(await instructions.locator('del').allTextContents()).toEqual(['brief']);
    expect(await instructions.locator('ins').allTextContents()).toEqual(['kind']);
    // What is equal in another form is no difference.
    const question = rowOf('user');
    expect(await question.getByRole('img', { name: 'Different' }).count()).toBe(0);
    expect(await question.getByText('How is the weather here?').count()).toBe(3);
    const pictures = question.getByRole('img');
    expect(await pictures.count()).toBe(3);
    for (const picture of await pictures.all()) {
      await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(64);
    }
    const asked = rowOf('Different assistant').first();
    await asked.getByRole('tree', { name: 'Call of weather' }).first().getByText('Paris').waitFor();
    await asked.getByText(/\+\s+"city": "Oslo"/).waitFor();
    await rowOf('Different tool')
      .getByText(/\+\s+"celsius": 4/)
      .waitFor();
    const answers = rowOf('Different assistant').last();
    await answers.getByText('It is sunny in Paris today.').waitFor();
    expect((await answers.locator('ins').allTextContents()).join(' ')).toContain('Oslo');
    await rowOf('exception').getByText('too many requests').waitFor();
    await rowOf('seed').getByText('107505301260286').first().waitFor();
    expect(await seriousFaults(page)).toEqual([]);

    await page.getByRole('checkbox', { name: 'Only differences' }).check();
    await question.waitFor({ state: 'detached' });
    await page.getByRole('checkbox', { name: 'As JSON' }).check();
    await rowOf('messages[0].content').first().waitFor();
    await page.reload();
    await rowOf('messages[0].content').first().waitFor();
    await page.getByRole('checkbox', { name: 'As JSON' }).uncheck();
    await instructions.waitFor();
  });

  test('a message more stands alone, and functions are compared as data', async () => {
    const { messages } = openai.inputs;
    const more = {
      ...openai,
      inputs: { ...openai.inputs, messages: [...messages, { role: 'user', content: 'Go on!' }] },
    };
    const ids = await record(more, openai, { op_name: 'add', inputs: { a: 1, b: 2 }, output: 3 });
    await web.open(`compare?calls=${ids.slice(0, 2)}`);
    const added = rowOf('Different user');
    await added.waitFor();
    expect(await added.getByRole('cell').allTextContents()).toEqual(['Go on!', '–']);
    await compared().getByText('1 of 5 messages differ').waitFor();
    await web.open(`compare?calls=${ids.slice(1)}`);
    await rowOf('messages[0].content').first().waitFor();
    expect(await page.getByRole('checkbox', { name: 'As JSON' }).isChecked()).toBe(true);
    await web.open(`compare?calls=${ids[2]},${(await record({ op_name: 'add', inputs: { a: 1 } }))[0]}`);
    await rowOf('Different b').waitFor();
    expect(await page.getByRole('checkbox', { name: 'As JSON' }).count()).toBe(0);
  });

  test('versions of a prompt are compared message by message', async () => {
    const publish = (messages: object[]) =>
      web.server.post('/obj/create', {
        obj: {
          ...{ project_id: web.project, object_id: 'greeting' },
          val: { _type: 'MessagesPrompt', _class_name: 'MessagesPrompt', _bases: ['Prompt', 'Object'], messages },
        },
      });
    const last = { role: 'user', content: 'Hello from {city}!' };
    await publish([{ role: 'system', content: 'Be kind to {name} and brief.' }, last]);
    await publish([{ role: 'system', content: 'Be kind to {name} and funny.' }, { role: 'user', content: 'Hi' }, last]);
    await web.open('objects/greeting/versions/latest?tab=changes');
    const messages = page.getByRole('list', { name: 'Messages' }).getByRole('listitem');
    await messages.first().waitFor();
    expect(await messages.first().locator('del, ins').allTextContents()).toEqual(['brief', 'funny']);
    expect(await messages.nth(1).textContent()).toContain('added');
    expect(await messages.nth(2).locator('mark').allTextContents()).toEqual(['{city}']);
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByText('As JSON').click();
    await page.getByText(/\+\s+"content": "Be kind to \{name\} and funny\."/).waitFor();
  });

  test('the answers of two runs of an evaluation are compared as messages', async () => {
    const op = (name: string) => `weave:///${web.project}/op/${name}:${'0'.repeat(43)}`;
    const runs: string[] = [];
    for (const { inputs, output } of [openai, anthropic]) {
      const [root, trial, trace_id] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()];
      await record(
        ...[{ op_name: op('Evaluation.evaluate'), id: root, trace_id, inputs: { self: 'quiz', model: 'ours' } }],
        {
          ...{ op_name: op('Evaluation.predict_and_score'), parent_id: root, id: trial, trace_id },
          ...{ inputs: { example: { q: 'Why?' } }, output: { output, scores: { exact: true } } },
        },
        { op_name: op('m.predict'), parent_id: trial, trace_id, inputs, output },
      );
      runs.push(root);
    }
    await web.open(`evaluations/results?runs=${runs}`);
    await page.getByRole('table', { name: 'Results' }).getByRole('row').filter({ hasText: 'Why?' }).click();
    const answers = page.getByRole('complementary', { name: 'Row' }).getByRole('list', { name: 'Answer' });
    await answers.first().getByText('It is sunny in Paris today.').waitFor();
    expect((await answers.nth(1).locator('ins').allTextContents()).join(' ')).toContain('Oslo');
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByText('As JSON').first().click();
    await page.getByRole('tree', { name: 'Output' }).first().getByText('choices').waitFor();
  });
});
