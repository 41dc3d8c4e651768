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

describe('completing a value of a builtin class', () => {
  test.each([
    [
      'adds the defaults of an AnnotationSpec [objects 6]',
      'AnnotationSpec',
      '{"name":"q","field_schema":{"type":"integer","minimum":0}}',
      'mPL6ozLX4WYU7TYQYz7mpiXLnJE7nXrh6YeKIjbs6CM',
    ],
    [
      'adds the defaults of a Provider',
      'Provider',
      '{"base_url":"https://api.example.com/v1","api_key_name":"KEY"}',
      'UsappC5CoCzPFF9Njiff6SifOZrcEqBkiwmXXIcHics',
    ],
    [
      'adds the defaults of a Leaderboard [objects 43]',
      'Leaderboard',
      '{"columns":[]}',
      'khZGp0XTiejKtPu9L94JwC34r8MrVp4zo230eqacQp8',
    ],
    [
      'adds the defaults of an LLMStructuredCompletionModel [objects 45]',
      'LLMStructuredCompletionModel',
      '{"llm_model_id":"gpt-4o"}',
      '2xqwmfWtqCL7VPjZ5eCWqjnRXvqIXsj17UXGMLNql68',
    ],
  ])('%s', (_, name, text, digest) => expect(textDigest(complete(name, text))).toBe(digest));

  test('writes float fields as floats, and fields of any type as they were sent', () => {
    const params = '"default_params":{"temperature":1,"max_tokens":"5","functions":[{"a":1,"b":1.0}]}';
    const text = complete('LLMStructuredCompletionModel', `{"llm_model_id":"m",${params}}`);
    expect(text).toContain('"temperature": 1.0');
    expect(text).toContain('"max_tokens": 5');
    expect(text).toContain('{"a": 1, "b": 1.0}');
    expect(complete('AlertSpec', '{"spec":{"threshold":2,"later":1.50}}')).toContain('"later": 1.5');
    expect(complete('AlertSpec', '{}')).toContain('"threshold": 0.0');
  });

  test('adds the class of a nested model', () => {
    expect(
      complete('SavedView', '{"view_type":"traces","label":"l","definition":{"pin":{"left":[],"right":["a"]}}}'),
    ).toContain('"pin": {"_bases": ["BaseModel"], "_class_name": "Pin", "_type": "Pin", "left": [], "right": ["a"]}');
    expect(complete('AgentDashboard', panel('"panel_type":"kpi","settings":{"query":{"metric":"m"}}'))).toContain(
      '"_class_name": "KpiDashboardPanel"',
    );
  });
});

describe('a value of a builtin class', () => {
  test.each([
    [
      'is rejected with an unknown key [objects 44]',
      'LLMStructuredCompletionModel',
      '{"llm_model_id":"gpt-4o","extra":1}',
    ],
    [
      'is rejected with a query in its address',
      'Provider',
      '{"base_url":"https://a.example.com/?a=1","api_key_name":"KEY"}',
    ],
    [
      'is rejected with a metadata header',
      'Provider',
      '{"base_url":"https://a.example.com","api_key_name":"K","extra_headers":{"Metadata-Flavor":"x"}}',
    ],
    [
      'is rejected with an invalid JSON Schema [objects 47]',
      'AnnotationSpec',
      '{"field_schema":{"type":"no such type"}}',
    ],
    [
      'is rejected with a schema that is invalid in a newer draft [objects 47]',
      'AnnotationSpec',
      '{"field_schema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":7}}',
    ],
    ['is rejected without a required field', 'Leaderboard', '{}'],
    ['is rejected with text for a number', 'ProviderModel', '{"provider":"p","max_tokens":"many"}'],
    [
      'is rejected with a panel outside of the grid',
      'AgentDashboard',
      panel('"panel_type":"kpi","settings":{"query":{"metric":"m"}}', '"x":1,"y":0,"w":24,"h":1'),
    ],
    [
      'is rejected with an incomplete breakdown',
      'AgentDashboard',
      panel('"panel_type":"breakdown","settings":{"query":{"metric":"m"}}'),
    ],
  ])('%s', (_, name, text) => expect(() => complete(name, text)).toThrow());

  test('drops an unknown key if its class ignores them [objects 48]', () => {
    expect(complete('AnnotationSpec', '{"later":1}')).not.toContain('later');
  });
});
