import { describe, expect, it } from 'vitest';
import { TextTemplate } from './text-template.ts';

const values = { name: 'Ada', yes: true, none: null, items: ['a', 1, 2.5], of: { a: '<b>' } };

/** What MiniJinja writes. */
const cases: [template: string, text: string][] = [
  ['Hello {{ name }}!\n', 'Hello Ada!'],
  ['{{ yes }} {{ not yes }}', 'true false'],
  ['{{ none }}', 'none'],
  ['{{ items }}', '["a", 1, 2.5]'],
  ['{{ of }}', '{"a": "<b>"}'],
  ['{{ of | tojson }}', '{"a":"\\u003cb\\u003e"}'],
  ['{% for each in items %}\n- {{ each }}\n{% endfor %}', '\n- a\n\n- 1\n\n- 2.5\n'],
  ['{% if missing is defined %}{{ missing }}{% else %}-{% endif %}', '-'],
  ['{{ missing | default("x") }}', 'x'],
  ['{# a comment #}{{ name | upper }}', 'ADA'],
];

describe('templates of prompts', () => {
  it.each(cases)('renders %j as MiniJinja does', (template, text) => {
    expect(new TextTemplate(template).render(values)).toBe(text);
  });

  it.each([
    '{{ missing }}',
    '{% for each in missing %}{% endfor %}',
    '{{ missing.name }}',
    '{% if missing %}{% endif %}',
    '{{ of.missing }}',
  ])('rejects %s without a value', (template) => {
    expect(() => new TextTemplate(template).render(values)).toThrow(/missing.*undefined/);
  });
});
