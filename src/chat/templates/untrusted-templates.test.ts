import { afterAll, expect, test } from 'vitest';
import { pool, requester } from '../../util/workers/testing/isolation.ts';
import type { ChatPrompt } from './render.ts';
import { UntrustedTemplates } from './untrusted-templates.ts';

const templates = new UntrustedTemplates(pool);
afterAll(() => templates.close());

const prompt: ChatPrompt = {
  messages: [{ role: 'user', content: 'Hi' }],
  addGenerationPrompt: true,
  continueFinalMessage: false,
  templateVariables: {},
  now: new Date(0),
};

test('uses the template of a request [chat 50]', async () => {
  expect(await templates.render('{{ messages[0].content }}', prompt, requester)).toBe('Hi');
});

test('reports what is wrong with a template, and renders the next [chat 51]', async () => {
  await expect(templates.render("{{ raise_exception('no') }}", prompt, requester)).rejects.toMatchObject({
    kind: 'invalidInput',
    message: /no/,
  });
  await expect(templates.render('{% for %}', prompt, requester)).rejects.toMatchObject({
    kind: 'invalidInput',
    extra: { param: 'chat_template' },
  });
  expect(await templates.render('ok', prompt, requester)).toBe('ok');
});

test('stops a template that loops or grows without end, and renders the next [chat 52]', async () => {
  const range = templates.render('{% for i in range(30000000) %}x{% endfor %}', prompt, requester);
  await expect(range).rejects.toMatchObject({ kind: 'invalidInput', message: /limited to 100000/ });

  const nested =
    '{% for i in range(99999) %}{% for j in range(99999) %}{% for k in range(99999) %}{% endfor %}{% endfor %}{% endfor %}';
  await expect(templates.render(nested, prompt, requester)).rejects.toMatchObject({
    extra: { param: 'chat_template' },
  });

  const doubling =
    "{% set ns = namespace(a=['x'*1]) %}".replace("'x'*1", "'x'") +
    '{% for i in range(60) %}{% set ns.a = ns.a + ns.a %}{% endfor %}';
  await expect(templates.render(doubling, prompt, requester)).rejects.toMatchObject({
    extra: { param: 'chat_template' },
  });
  expect(await templates.render('ok', prompt, requester)).toBe('ok');
});

test('a template has no access to the server', async () => {
  expect(await templates.render('{{ process }}{{ env }}{{ constructor }}', prompt, requester)).toBe('');
});
