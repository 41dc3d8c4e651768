import { describe, expect, test } from 'vitest';
import { parseJson } from '../../util/json/parse.ts';
import { keepTreeOf } from '../keep-tree.ts';
import { chatRequest } from './request.ts';

const keep = keepTreeOf(chatRequest);

/** Reads a body to which the text of some fields is added. */
function read(fields: string) {
  const text = `{"messages":[{"role":"user","content":"Hi"}]${fields && `,${fields}`}}`;
  return chatRequest.safeParse(parseJson(text, keep === undefined ? {} : { keep }));
}

function typesOf(fields: string): unknown[] {
  const issues = read(fields).error?.issues ?? [];
  return issues.map((issue) => (issue as { params?: { type?: string } }).params?.type ?? issue.code);
}

test('messages are enough, and everything else has its default [chat 3]', () => {
  expect(read('').data).toMatchObject({
    ...{
      model: null,
      n: null,
      stream: null,
      seed: null,
      stop: [],
      tools: null,
      min_tokens: 0,
      bad_words: [],
      priority: 0,
    },
    ...{ include_reasoning: true, skip_special_tokens: true, spaces_between_special_tokens: true, length_penalty: 1 },
    ...{
      use_beam_search: false,
      echo: false,
      add_special_tokens: false,
      ignore_eos: false,
      truncate_prompt_tokens: null,
    },
  });
});

describe('numbers are read leniently', () => {
  test.each([
    ['"n":3.0', { n: 3 }],
    ['"n":"3"', { n: 3 }],
    ['"n":" 3 "', { n: 3 }],
    ['"n":true', { n: 1 }],
    ['"temperature":"0.5"', { temperature: 0.5 }],
    ['"temperature":true', { temperature: 1 }],
    ['"temperature":"1e400"', { temperature: Number.POSITIVE_INFINITY }],
    ['"temperature":"nan"', { temperature: Number.NaN }],
    ['"seed":9223372036854775807', { seed: 2n ** 63n - 1n }],
    ['"seed":-9223372036854775808', { seed: -(2n ** 63n) }],
    ['"seed":9223372036854776000', { seed: 2n ** 63n - 1n }],
    ['"seed":"12"', { seed: 12n }],
    ['"seed":1e3', { seed: 1000n }],
    ['"truncate_prompt_tokens":-1', { truncate_prompt_tokens: -1 }],
    ['"logit_bias":{"5":"1.5"}', { logit_bias: { 5: 1.5 } }],
    ['"echo":"YES"', { echo: true }],
    ['"echo":0', { echo: false }],
  ])('%s', (fields, expected) => {
    expect(read(fields).data).toMatchObject(expected);
  });

  test.each([
    ['"n":3.5', 'int_from_float'],
    ['"n":"3.5"', 'int_parsing'],
    ['"n":1e400', 'finite_number'],
    ['"n":{}', 'int_type'],
    ['"temperature":"x"', 'float_parsing'],
    ['"temperature":[]', 'float_type'],
    ['"echo":2', 'bool_parsing'],
    ['"echo":" true"', 'bool_parsing'],
    ['"echo":null', 'bool_type'],
    ['"seed":9223372036854775808', 'less_than_equal'],
    ['"seed":-9223372036854775809', 'greater_than_equal'],
    ['"truncate_prompt_tokens":-2', 'greater_than_equal'],
    ['"tool_choice":null', 'literal_error'],
  ])('%s is %s', (fields, type) => {
    expect(typesOf(fields)).toEqual([type]);
  });
});

test.each([
  '"stream_options":{"include_usage":true}',
  '"stream":true,"stream_options":{"continuous_usage_stats":true}',
  '"top_logprobs":1',
  '"logprobs":true,"top_logprobs":-2',
  '"prompt_logprobs":-2',
  '"prompt_logprobs":1,"stream":true',
  '"response_format":{"type":"json_schema"}',
  '"structured_outputs":{}',
  '"structured_outputs":{"regex":"a","json":"{}"}',
  '"add_generation_prompt":true,"continue_final_message":true',
  '"cache_salt":""',
  '"repetition_detection":{"max_pattern_size":2,"min_pattern_size":3,"min_count":2}',
  '"repetition_detection":{"max_pattern_size":2,"min_count":1}',
  '"repetition_detection":{"max_pattern_size":-1}',
])('%s contradicts itself', (fields) => {
  expect(typesOf(fields)).toEqual(['value_error']);
});

test.each([
  '"stream_options":{}',
  '"prompt_logprobs":0,"stream":true',
  '"logprobs":true,"top_logprobs":-1',
  '"continue_final_message":true',
  '"repetition_detection":{}',
  '"tools":[]',
  '"stop":"x"',
  '"structured_outputs":{"choice":[]}',
])('leaves %s to the engine', (fields) => {
  expect(read(fields).success).toBe(true);
});
