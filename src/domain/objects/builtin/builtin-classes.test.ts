import { describe, expect, test } from 'vitest';
import { parseLossless } from '../../../util/json/lossless.ts';
import { canonicalJson } from '../../digest/canonical-json.ts';
import { textDigest } from '../../digest/digest.ts';
import { builtinClasses } from './builtin-classes.ts';
import { fromFields, toFields } from './value-fields.ts';

function complete(name: string, text: string): string {
  return canonicalJson(fromFields(builtinClasses[name]!.parse(toFields(parseLossless(text)))));
}

const panel = (more: string, layout = '"x":0,"y":0,"w":24,"h":1') =>
  `{"label":"l","definition":{"panels":[{"id":"a","layout":{${layout}},${more}}]}}`;

describe('a value of a builtin class is completed', () => {
  test.each([
    [
      'row 6',
      'AnnotationSpec',
      '{"name":"q","field_schema":{"type":"integer","minimum":0}}',
      'mPL6ozLX4WYU7TYQYz7mpiXLnJE7nXrh6YeKIjbs6CM',
    ],
    [
      'example O',
      'Provider',
      '{"base_url":"https://api.example.com/v1","api_key_name":"KEY"}',
      'UsappC5CoCzPFF9Njiff6SifOZrcEqBkiwmXXIcHics',
    ],
    ['row 43', 'Leaderboard', '{"columns":[]}', 'khZGp0XTiejKtPu9L94JwC34r8MrVp4zo230eqacQp8'],
    [
      'row 45',
      'LLMStructuredCompletionModel',
      '{"llm_model_id":"gpt-4o"}',
      '2xqwmfWtqCL7VPjZ5eCWqjnRXvqIXsj17UXGMLNql68',
    ],
  ])('%s: %s', (_, name, text, digest) => expect(textDigest(complete(name, text))).toBe(digest));

  test('a float field is written as a float, an any-field as it was sent', () => {
    const params = '"default_params":{"temperature":1,"max_tokens":"5","functions":[{"a":1,"b":1.0}]}';
    const text = complete('LLMStructuredCompletionModel', `{"llm_model_id":"m",${params}}`);
    expect(text).toContain('"temperature": 1.0');
    expect(text).toContain('"max_tokens": 5');
    expect(text).toContain('{"a": 1, "b": 1.0}');
    expect(complete('AlertSpec', '{"spec":{"threshold":2,"later":1.50}}')).toContain('"later": 1.5');
    expect(complete('AlertSpec', '{}')).toContain('"threshold": 0.0');
  });

  test('a nested model tells its class', () => {
    expect(
      complete('SavedView', '{"view_type":"traces","label":"l","definition":{"pin":{"left":[],"right":["a"]}}}'),
    ).toContain('"pin": {"_bases": ["BaseModel"], "_class_name": "Pin", "_type": "Pin", "left": [], "right": ["a"]}');
    expect(complete('AgentDashboard', panel('"panel_type":"kpi","settings":{"query":{"metric":"m"}}'))).toContain(
      '"_class_name": "KpiDashboardPanel"',
    );
  });
});

describe('a value that breaks the rules of its class is refused', () => {
  test.each([
    ['row 44', 'LLMStructuredCompletionModel', '{"llm_model_id":"gpt-4o","extra":1}'],
    ['row 46', 'Provider', '{"base_url":"http://127.0.0.1/","api_key_name":"KEY"}'],
    [
      'a metadata header',
      'Provider',
      '{"base_url":"https://a.example.com","api_key_name":"K","extra_headers":{"Metadata-Flavor":"x"}}',
    ],
    ['row 47', 'AnnotationSpec', '{"field_schema":{"type":"no such type"}}'],
    [
      'row 47, a newer draft',
      'AnnotationSpec',
      '{"field_schema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":7}}',
    ],
    ['a missing field', 'Leaderboard', '{}'],
    ['text for a number', 'ProviderModel', '{"provider":"p","max_tokens":"many"}'],
    [
      'a panel out of the grid',
      'AgentDashboard',
      panel('"panel_type":"kpi","settings":{"query":{"metric":"m"}}', '"x":1,"y":0,"w":24,"h":1'),
    ],
    ['a breakdown of nothing', 'AgentDashboard', panel('"panel_type":"breakdown","settings":{"query":{"metric":"m"}}')],
  ])('%s: %s', (_, name, text) => expect(() => complete(name, text)).toThrow());

  test('row 48: an unknown key is dropped', () => {
    expect(complete('AnnotationSpec', '{"later":1}')).not.toContain('later');
  });
});
