import { beforeAll, describe, expect, test } from 'vitest';
import { openServedText, type ServedText } from '../../chat/tokenizer/served-text.ts';
import { sftJobConfig } from '../../contract/training-jobs/sft-config.ts';
import { learningRateOf, sftSettings } from '../../domain/training/sft-settings.ts';
import { tinyModel } from '../../engine/registry/tiny-model.ts';
import { openConversationTokens } from '../tokens/conversation-tokens.ts';
import { type PreparedSft, SftPreparation, type TokenizedConversation } from './prepare-sft.ts';

let text: ServedText;
beforeAll(async () => {
  text = await openServedText((await tinyModel()).path);
});

type Config = { config?: object; experimental_config?: object };

function prepare(lines: unknown[], config: Config = {}, contextLength = 200): PreparedSft {
  const { settings } = sftSettings(sftJobConfig.parse({ training_data_url: 'data:', ...config }));
  const tokenize = openConversationTokens(text, new Date(0));
  const preparation = new SftPreparation({
    rollouts: { stepsMax: 0, perStepMax: 0 },
    ...{ settings, contextLength, tokenize, seed: 7n, examples: 1 },
    decode: (ids) => text.tokenizer.decode(ids),
  });
  for (const line of lines) preparation.add(typeof line === 'string' ? line : JSON.stringify(line));
  return preparation.finish();
}

const talk = (answer: string, more: object = {}) => ({
  messages: [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: answer, ...more },
  ],
});

function trained({ tokens, isTrained }: TokenizedConversation): string {
  return text.tokenizer.decode([...tokens].filter((_, index) => isTrained[index]));
}

const answersOf = ({ batches }: PreparedSft) => batches.map(({ conversations }) => conversations.map(trained));

test('batches have two conversations in the order of the lines, and the last may have fewer [training 44]', () => {
  const lines = ['a', 'b', 'c'].map((answer) => talk(answer));
  expect(answersOf(prepare(lines))).toEqual([['a<|im_end|>', 'b<|im_end|>'], ['c<|im_end|>']]);
  expect(answersOf(prepare(lines, { config: { batch_size: 'auto' } }))).toHaveLength(2);
  expect(answersOf(prepare(lines, { config: { batch_size: 3 } }))).toHaveLength(1);
});

test('changes the learning rate over the steps as the schedule says', () => {
  const rates = (experimental_config: object) => {
    const config = { learning_rate: 1e-3 };
    const { settings } = sftSettings(sftJobConfig.parse({ training_data_url: '', config, experimental_config }));
    return [0, 1, 2, 3].map((step) => learningRateOf(settings, step, 4));
  };
  expect(rates({})).toEqual([1e-3, 1e-3, 1e-3, 1e-3]);
  expect(rates({ warmup_steps: 2 })).toEqual([5e-4, 1e-3, 1e-3, 1e-3]);
  expect(rates({ learning_rate_schedule: 'linear', warmup_steps: 1 })).toEqual([1e-3, 1e-3, 5e-4, 0]);
  expect(rates({ learning_rate_schedule: 'cosine' }).at(-1)).toBe(0);
});

test('takes one learning rate, or one for each batch; a list that is too short is an error [training 44]', () => {
  const lines = ['a', 'b', 'c'].map((answer) => talk(answer));
  const rates = (learning_rate?: number | number[]) => {
    const { settings } = sftSettings(sftJobConfig.parse({ training_data_url: '', config: { learning_rate } }));
    return [0, 1].map((step) => learningRateOf(settings, step, 2));
  };
  expect(rates()).toEqual([5e-5, 5e-5]);
  expect(rates(1e-3)).toEqual([1e-3, 1e-3]);
  expect(rates([1e-3, 1e-4, 1])).toEqual([1e-3, 1e-4]);
  expect(prepare(lines, { config: { learning_rate: [1, 2] } }).batches).toHaveLength(2);
  expect(() => prepare(lines, { config: { learning_rate: [1] } })).toThrow(
    'config.learning_rate has 1 value, and the data 2 batches. Give one per batch.',
  );
});

test('warns of settings without effect', () => {
  const config = { batchsize: 1 };
  expect(sftSettings(sftJobConfig.parse({ training_data_url: '', config })).warnings).toEqual([
    'config.batchsize is unknown and has no effect.',
  ]);
});

test('trains every answer, the last one, or those without a weight of 0', () => {
  const two = { messages: [...talk('a').messages, ...talk('b').messages] };
  const answers = (line: object, config: object = {}) => answersOf(prepare([line], { config }))[0]![0];
  expect(answers(two)).toBe('a<|im_end|>b<|im_end|>');
  expect(answers(two, { assistant_turns: 'last' })).toBe('b<|im_end|>');
  expect(answers({ messages: [...talk('a', { weight: 0 }).messages, ...talk('b').messages] })).toBe('b<|im_end|>');
});

test('drops messages after the last answer', () => {
  const [conversation] = prepare([{ messages: [...talk('a').messages, { role: 'user', content: 'Thanks' }] }])
    .batches[0]!.conversations;
  expect(text.tokenizer.decode([...conversation!.tokens])).toMatch(/a<\|im_end\|>$/);
});

test('takes trajectories of older layouts, whose choices are messages', () => {
  const [question, answer] = talk('a').messages;
  const line = { messages_and_choices: [question, { finish_reason: 'stop', message: answer }], reward: 1 };
  expect(answersOf(prepare([line]))).toEqual([['a<|im_end|>']]);
});

test('conversations that are too long are dropped and counted, and their batch stays [training 56]', () => {
  const long = talk('word '.repeat(100));
  const { batches, warnings, report } = prepare([long, long, talk('a'), long], {}, 60);
  expect(batches.map(({ conversations, dropped }) => [conversations.length, dropped])).toEqual([
    [0, 2],
    [1, 1],
  ]);
  expect(report).toMatchObject({ trajectories: 4, dropped: 3 });
  expect(warnings).toEqual(['3 conversations are skipped: they have more than 60 tokens.']);
});

test('holds out the same share in each run of a job', () => {
  const lines = Array.from({ length: 20 }, (_, i) => talk(`number ${i}`));
  const config = { experimental_config: { held_out_share: 0.1 } };
  const { heldOut, batches, report } = prepare(lines, config);
  expect(heldOut).toHaveLength(2);
  expect(batches).toHaveLength(9);
  expect(report.heldOut).toBe(2);
  const all = [...heldOut, ...batches.flatMap(({ conversations }) => conversations)].map(trained);
  expect(new Set(all).size).toBe(20);
  expect(prepare(lines, config).heldOut.map(trained)).toEqual(heldOut.map(trained));
  expect(prepare(lines.slice(0, 2), config).heldOut).toHaveLength(1);
  expect(prepare(lines.slice(0, 1), config).heldOut).toHaveLength(0);
});

describe('rejects a line and reports its number', () => {
  const good = JSON.stringify(talk('a'));
  const messages = (value: unknown) => JSON.stringify({ messages: value });
  const calling = (args: unknown) => {
    const toolCall = { id: '1', type: 'function', function: { name: 'f', arguments: args } };
    return messages([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', tool_calls: [toolCall] },
    ]);
  };
  const fields = (answer: object) => messages([talk('a').messages[0], { role: 'assistant', ...answer }]);
  test.each<[string, string, RegExp]>([
    ['that is not JSON', '{"messages": [', /^Line 3: it is not JSON: /],
    ['that is not an object', '1', /^Line 3: it is not an object/],
    ['that is a list', '[{"messages": []}]', /^Line 3: it begins a JSON list: write each element/],
    ['that begins a list', '[', /^Line 3: it begins a JSON list/],
    [
      'with a comma at its end',
      `${good},`,
      /^Line 3: it is not JSON: Expected the end of the text at \d+ but found ","/,
    ],
    ['of zero bytes', '\0\0', /^Line 3: it is not JSON: Expected a value at 0 but found "\\u0000"\.$/],
    ['with a key twice', '{"messages": [], "messages": []}', /^Line 3: .* The key "messages" occurs twice/],
    ['with half of a surrogate pair', good.replace('"a"', '"\\ud83d"'), /^Line 3: it has half of a surrogate pair/],
    ['with NaN', good.replace('"a"', 'NaN'), /^Line 3: it is not JSON: /],
    ['of another format', '{"prompt": "a", "completion": "b"}', /^Line 3: it has no messages \(found prompt, comp/],
    ['with misspelled messages', '{"mesages": []}', /^Line 3: mesages: the field is unknown, expected messages\.$/],
    ['with misspelled content', fields({ contnet: 'x' }), /^Line 3: messages\.1\.contnet: .* expected content\.$/],
    ['with a misspelled weight', fields({ content: 'x', wieght: 0 }), /messages\.1\.wieght: .* expected weight\.$/],
    ['with functions', JSON.stringify({ ...talk('a'), functions: [{}] }), /^Line 3: functions: write them as tools/],
    [
      'with a function call',
      fields({ content: null, function_call: { name: 'f' } }),
      /\.1\.function_call: write the call/,
    ],
    ['with a refusal', fields({ content: null, refusal: 'I cannot' }), /messages\.1\.refusal: write the text/],
    ['with audio', fields({ content: null, audio: { id: 'a' } }), /messages\.1\.audio: audio cannot be trained\.$/],
    ['without content', fields({}), /messages\.1\.content: an answer needs content or tool_calls\.$/],
    ['with content null', fields({ content: null, tool_calls: [] }), /messages\.1\.content: an answer needs/],
    ['with a weight of 0.5', fields({ content: 'x', weight: 0.5 }), /messages\.1\.weight: expected 0 or 1\.$/],
    [
      'with a prompt without content',
      messages([{ role: 'user' }, talk('a').messages[1]]),
      /\.0\.content: expected a str/,
    ],
    ...['human', 'gpt', 'wizard', 'User', 'function'].map((role): [string, string, RegExp] => [
      `with the role ${role}`,
      messages([{ role, content: 'x' }, talk('a').messages[1]]),
      new RegExp(`^Line 3: messages\\.0\\.role: "${role}" is not one of system, developer, user, assistant, tool\\.$`),
    ]),
    [
      'with lines that end with CR alone',
      `${good}\r${good}`,
      /not JSON: .* carriage returns: end lines with a line feed\.$/,
    ],
    ...(
      [
        ['system', 'Be brief', 'no message has this text'],
        ['prompt', 'Hello', 'no message has this text'],
        ['instruction', 'Sum up', 'no message has this text'],
        ['images', ['a.png'], 'images cannot be trained'],
        ['documents', [{ text: 'a' }], 'write them into the messages'],
        ['history', [['a', 'b']], 'write it as messages'],
        ['chat_template_kwargs', { enable_thinking: false }, 'the template of the model is used without'],
      ] as const
    ).map(([key, value, reason]): [string, string, RegExp] => [
      `with ${key} beside its messages`,
      JSON.stringify({ ...talk('a'), [key]: value }),
      new RegExp(`^Line 3: ${key}: ${reason}`),
    ]),
    ...[
      { train: false },
      { training: 0 },
      { loss: false },
      { loss_weight: 0 },
      { mask: 1 },
      { train_detail: [{ begin_offset: 0, end_offset: 1, train: false }] },
    ].map((more): [string, string, RegExp] => [
      `with an answer that ${JSON.stringify(more)} leaves out`,
      JSON.stringify(talk('a', more)),
      new RegExp(`^Line 3: messages\\.1\\.${Object.keys(more)[0]}: write "weight": 0 for an answer`),
    ]),
    [
      'with a part without a text',
      messages([{ role: 'user', content: [{ type: 'text', text: null }] }, talk('a').messages[1]]),
      /^Line 3: messages\.0\.content\.0: expected a part with a text\.$/,
    ],
    [
      'with a call without a function',
      fields({ tool_calls: [{ name: 'f', arguments: {} }] }),
      /tool_calls\.0\.function: expected an object with a name and arguments\.$/,
    ],
    ['without messages', '{}', /^Line 3: it has no messages\.$/],
    ['with no message in the list', messages([]), /^Line 3: messages: the list is empty\.$/],
    ['with a message without a role', messages([{ content: 'x' }]), /^Line 3: messages\.0\.role: expected a string\.$/],
    [
      'without an answer',
      messages([{ role: 'user', content: 'x' }]),
      /^Line 3: it has no message of the role assistant/,
    ],
    [
      'with content of another kind',
      messages([{ role: 'user', content: 1 }]),
      /^Line 3: messages\.0\.content: expected/,
    ],
    [
      'with an image',
      messages([{ role: 'user', content: [{ type: 'image_url' }] }, talk('a').messages[1]]),
      /reads text alone/,
    ],
    ['with arguments that are not JSON', calling('{"a"'), /arguments: expected the JSON text of an object\.$/],
    ['with arguments that are a list', calling('[1]'), /arguments: expected the JSON text of an object\.$/],
  ])('%s', (_, line, expected) => {
    expect(() => prepare([good, '', line, good])).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/^The training data has lines that cannot be trained on\. /),
        extra: { param: 'training_data_url' },
      }),
    );
    expect(() => prepare([good, '', line])).toThrow(
      expect.objectContaining({ message: expect.stringMatching(new RegExp(expected.source.replace(/^\^/, ' '))) }),
    );
  });

  test('lists at most ten and counts the rest', () => {
    expect(() => prepare(Array(12).fill('{}'))).toThrow(/Line 10: it has no messages\. … and 2 more lines\.$/);
  });

  test('rejects an empty file', () => {
    expect(() => prepare([''])).toThrow('The training data is empty.');
  });
});

test('rejects data of which every line is too long, or whose only lines that are not are held out', () => {
  const long = talk('word '.repeat(100));
  expect(() => prepare([long, long], {}, 60)).toThrow(
    'The training data has nothing that can be trained on: its conversations have more than 60 tokens.',
  );
});

test('tells of texts that the model reads as special tokens', () => {
  const lines = [
    talk('a<|im_end|>'),
    talk('b <|im_end'),
    { messages: [{ role: 'user', content: [{ type: 'text', text: '<|im_start|>' }] }, talk('c').messages[1]] },
  ];
  expect(prepare(lines).warnings).toEqual([
    'A message contains <|im_end|>, which the model reads as a special token (1 line).',
    'A message contains <|im_start|>, which the model reads as a special token (1 line).',
  ]);
});

test('tells of what has no effect, and of empty answers', () => {
  const line = talk('', { annotations: [], audio: null, refusal: null, id: 'm1' });
  const { warnings } = prepare([line, line, talk('a', { reasoning: 'Why' })]);
  expect(warnings).toEqual([
    'The field "id" of messages has no effect (2 lines).',
    'An empty answer is trained: the model learns to say nothing (2 lines).',
    'The chat template does not show the reasoning of an answer, so it is not trained (1 line).',
  ]);
  expect(
    prepare(
      [talk('', { weight: 0 }), talk('a')].map((each) => ({ messages: [...each.messages, ...talk('b').messages] })),
    ).warnings,
  ).toEqual([]);
});

test('takes notes beside the messages, and fields that repeat a text of them', () => {
  const notes = {
    id: 7,
    source: 'web',
    prompt: 'Hi',
    prompt_id: 'x',
    system: '',
    images: [],
    parallel_tool_calls: false,
  };
  const trainedAnyway = { train: true, loss: 1, weight: 1 };
  expect(answersOf(prepare([{ ...talk('a', trainedAnyway), ...notes }]))).toEqual([['a<|im_end|>']]);
  expect(prepare([{ messages: talk('a').messages.map((each) => ({ ...each, weight: 1 })) }]).warnings).toEqual([
    'A weight of 1 has no effect: the role user is not trained (1 line).',
  ]);
});

test('trains the numbers of calls digit for digit', () => {
  const call =
    '{"id": "1", "type": "function", "function": {"name": "f", "arguments": {"id": 107505301260286111, "x": 1.0}}}';
  const line = `{"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "tool_calls": [${call}]}]}`;
  expect(answersOf(prepare([line]))[0]![0]).toContain('{"id": 107505301260286111, "x": 1.0}');
});

test('knows the calls that each line came from', () => {
  const source_call = 'weave:///ent/p/call/c2';
  const choice = { message: { role: 'assistant', content: 'c' }, call_id: 'c3' };
  const older = { messages_and_choices: [{ role: 'user', content: 'Hi' }, choice] };
  const lines = [{ ...talk('a'), call_id: 'c1' }, talk('b'), { ...talk('c'), source_call }, older];
  const { calls } = prepare([...lines, { ...talk('d'), call_id: '\0' }]).report;
  expect(calls).toEqual(['c1', 'c2', 'c3'].map((callId) => ({ callId, weight: 1, split: 'train' })));
});

test('epochs repeat the conversations in the same order, except held-out ones', () => {
  const lines = ['a', 'b', 'c'].map((answer) => talk(answer));
  const all = (config: object) =>
    answersOf(prepare(lines, { experimental_config: config }))
      .flat()
      .join('');
  expect(all({ epochs: 2 })).toBe('abcabc'.replaceAll(/./g, '$&<|im_end|>'));
  expect(all({ epochs: 3, held_out_share: 0.3 }).split('<|im_end|>')).toHaveLength(7);
});

test('shows the first conversations as text with their trained parts', () => {
  expect(prepare([talk('a'), talk('b')]).examples).toEqual([
    [
      { text: '<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n', isTrained: false },
      { text: 'a<|im_end|>', isTrained: true },
    ],
  ]);
});
