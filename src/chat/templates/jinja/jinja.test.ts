import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ChatTemplate } from './template.ts';
import { parseJson } from './values.ts';

/** What Python's Jinja makes of small templates, written by scripts/reference/jinja.py. */
const reference = JSON.parse(readFileSync(new URL('../../testing/jinja.json', import.meta.url), 'utf8')) as {
  variables: string;
  cases: { template: string; text?: string; error?: string }[];
};
const variables = parseJson(reference.variables) as Record<string, unknown>;

/** What the library does not parse: such a template is rejected, never rendered differently. */
const unsupported = /1e3|1_000|% \(\)|{{ \(\)|\(1,\)|\(3,\)|recursive|{% with|{% raw|1 < 2 < 3|joiner|\| zip|{%\+/;

it('renders or rejects templates as Python does', () => {
  const wrong = reference.cases.filter(({ template, text, error }) => {
    const found = outcome(template);
    return error === undefined && !unsupported.test(template) ? found.text !== text : found.error === undefined;
  });
  expect(wrong.map((wanted) => ({ wanted, found: outcome(wanted.template) }))).toEqual([]);
});

function outcome(template: string): { text?: string; error?: string } {
  try {
    return { text: new ChatTemplate(template).render(variables, new Date(0)) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}
