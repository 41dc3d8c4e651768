import { describe, expect, test } from 'vitest';
import { testServer } from '../testing/server.ts';
import { bad, chatting, decode, encode, eos, invalid, spelling, tokenId } from './testing/chat.ts';

const server = await testServer();
const { chat, choice, refusal } = chatting(() => server);

const ids = async (more: object) => (await choice({ ...more, return_token_ids: true })).token_ids!;
const vocabulary = 1024;
const endless = { ignore_eos: true };

describe('sampling', () => {
  test('greedy sampling is the same every time, whatever the filters [chat 76 77]', async () => {
    const first = await ids({});
    for (let again = 0; again < 9; again++) expect(await ids({})).toEqual(first);
    expect(await ids({ top_k: 1, top_p: 0.1, min_p: 0.9 })).toEqual(first);
  });

  test('rejects impossible numbers of choices [chat 78 99]', async () => {
    expect(await refusal({ n: 2 })).toEqual(bad('n', /greedy/));
    for (const n of [0, -1, 100_000_000]) expect(await refusal({ n, temperature: 1 })).toEqual(bad('n'));
  });

  test('each choice has the next seed [chat 79]', async () => {
    const { choices } = await chat({ temperature: 1, n: 3, seed: 7, return_token_ids: true });
    expect(choices.map(({ index }) => index)).toEqual([0, 1, 2]);
    for (const [i, each] of choices.entries())
      expect(each.token_ids).toEqual(await ids({ temperature: 1, seed: 7 + i }));
  });

  test('a seed draws the same tokens alone and beside other requests [chat 80 174]', async () => {
    const seeded = { temperature: 1, seed: 7, ...endless, max_tokens: 30 };
    const alone = await ids(seeded);
    const company = Array.from({ length: 12 }, (_, i) =>
      ids({ temperature: 1, seed: 100 + i, ...endless, max_tokens: 20 + i }),
    );
    expect(await ids(seeded)).toEqual(alone);
    await Promise.all(company);
  });

  test('answers two hundred concurrent requests as if each was alone [chat 174]', async () => {
    const asked = Array.from({ length: 200 }, (_, i) => ({
      messages: [{ role: 'user', content: 'word '.repeat((i % 7) * 9 + 1) }],
      max_tokens: 4 + (i % 5) * 3,
      ...endless,
      ...(i % 3 === 0 ? { structured_outputs: { regex: `[a-c]{${(i % 4) + 1}}` } } : {}),
    }));
    const together = await Promise.all(asked.map(ids));
    for (const [i, each] of asked.entries())
      if (i % 12 < 2) expect(together[i], `request ${i}`).toEqual(await ids(each));
  });

  test('-1 means no seed [chat 82]', async () => {
    const drawn = await Promise.all(
      [0, 1, 2, 3].map(() => ids({ temperature: 2, seed: -1, ...endless, max_tokens: 20 })),
    );
    expect(new Set(drawn.map(String)).size).toBeGreaterThan(1);
  });

  test.each([
    ['temperature', [-0.1, 2.1]],
    ['top_p', [0, 1.1, -1]],
    ['top_k', [-2]],
    ['min_p', [1.1, -0.1]],
    ['presence_penalty', [-2.1, 2.1]],
    ['frequency_penalty', [2.1]],
    ['repetition_penalty', [0, -1]],
  ])('rejects %s out of range [chat 83 85 86 87 91 92]', async (field, values) => {
    for (const value of values) expect(await refusal({ [field]: value })).toEqual(bad(field));
  });

  test('filters that leave only the best token are greedy [chat 84 86 87]', async () => {
    const best = await ids({});
    expect(await ids({ temperature: 1, top_k: 1 })).toEqual(best);
    expect(await ids({ temperature: 1, min_p: 1 })).toEqual(best);
    expect(await ids({ temperature: 1, top_p: 1e-9 })).toEqual(best);
    const seeded = { seed: 3, ...endless };
    expect(await ids({ ...seeded, temperature: 0.001 })).toEqual(await ids({ ...seeded, temperature: 0.01 }));
    const free = await ids({ ...seeded, temperature: 1 });
    for (const top_k of [0, -1, vocabulary + 1]) expect(await ids({ ...seeded, temperature: 1, top_k })).toEqual(free);
  });

  const a = tokenId('a');
  const b = tokenId('b');

  test('a repetition penalty applies to the tokens of the prompt [chat 92]', async () => {
    const positive = { logit_bias: { [a]: 50, [b]: 50 }, allowed_token_ids: [a, b] };
    const asked = { ...positive, messages: [{ role: 'user', content: 'a' }], max_tokens: 1 };
    expect(await ids({ ...asked, repetition_penalty: 1e6 })).toEqual([b]);
  });

  test('applies and checks biases [chat 94 95]', async () => {
    for (const bias of [100, 1000]) expect(new Set(await ids({ logit_bias: { [a]: bias } }))).toEqual(new Set([a]));
    const [first] = await ids({});
    expect(await ids({ logit_bias: { [first!]: -100 } })).not.toContain(first);
    expect(await refusal({ logit_bias: { x: 1 } })).toEqual(bad('logit_bias'));
    expect(await refusal({ logit_bias: { 999999: 1 } })).toEqual(bad('logit_bias', /1024/));
    expect(await refusal({ logit_bias: { 5: 'q' } })).toEqual(invalid('logit_bias.5', 'float_parsing'));
    expect(await refusal({ logit_bias: { 5: null } })).toEqual(invalid('logit_bias.5', 'float_type'));
  });

  test('generates only allowed tokens [chat 96]', async () => {
    const drawn = await choice({ allowed_token_ids: [a, b], temperature: 1, seed: 1, return_token_ids: true });
    expect(drawn.finish_reason).toBe('length');
    for (const id of drawn.token_ids!) expect([a, b]).toContain(id);
    for (const wrong of [[], [-1], [vocabulary]])
      expect(await refusal({ allowed_token_ids: wrong })).toEqual(bad('allowed_token_ids'));
  });

  test('never generates bad words [chat 97 98]', async () => {
    const free = { allowed_token_ids: [a, b], logit_bias: { [a]: 1 }, temperature: 1, seed: 5, max_tokens: 60 };
    const text = decode(await ids({ ...free, bad_words: [`${decode([a])}${decode([b])}`] }));
    expect(encode('ab').length === 1 || !text.includes('ab')).toBe(true);
    expect(await ids({ ...free, bad_words: ['a'] })).not.toContain(a);
    expect(await refusal({ bad_words: [''] })).toEqual(bad('bad_words'));
  });
});

describe('stopping', () => {
  test('ends at the end-of-text token, unless it is ignored [chat 100 101]', async () => {
    const asked = { ...spelling('ab', 'ab'), return_token_ids: true };
    const ended = await choice(asked);
    expect(ended).toMatchObject({ finish_reason: 'stop', stop_reason: null, message: { content: 'ab' } });
    expect(ended.token_ids).toEqual([tokenId('a'), tokenId('b'), eos]);
    expect((await choice({ ...endless, logit_bias: { [eos]: 100 }, return_token_ids: true })).token_ids).toEqual(
      Array(8).fill(eos),
    );
  });

  const b = tokenId('b');

  test('ends at stop tokens [chat 102 103 104]', async () => {
    const asked = { ...spelling('abc', 'abc'), stop_token_ids: [b, b], return_token_ids: true };
    const stopped = await choice(asked);
    expect(stopped).toMatchObject({ finish_reason: 'stop', stop_reason: b, message: { content: 'a' } });
    expect(stopped.token_ids).toEqual([tokenId('a'), b]);
    expect((await choice({ ...asked, include_stop_str_in_output: true })).message.content).toBe('ab');
    const eosFirst = { logit_bias: { [eos]: 100 }, stop_token_ids: [eos] };
    expect((await choice(eosFirst)).stop_reason).toBeNull();
    expect((await choice({ ...eosFirst, ...endless })).stop_reason).toBe(eos);
    expect(await refusal({ stop_token_ids: [vocabulary] })).toEqual(bad('stop_token_ids'));
  });

  const hello = { ...spelling('hello world', 'helo wrd'), max_tokens: 20 };

  test('ends at stop strings over several tokens [chat 105 106 107]', async () => {
    const stopped = await choice({ ...hello, stop: ['lo w'] });
    expect(stopped).toMatchObject({ message: { content: 'hel' }, stop_reason: 'lo w', finish_reason: 'stop' });
    const included = await choice({ ...hello, stop: ['lo w'], include_stop_str_in_output: true });
    expect(included.message.content).toBe('hello w');
    const first = await choice({ ...spelling('xabc', 'xabc'), stop: ['abc', 'b'] });
    expect(first).toMatchObject({ message: { content: 'xa' }, stop_reason: 'b' });
  });

  test('finds a stop string in the last token [chat 108]', async () => {
    expect(await choice({ ...hello, max_tokens: 7, stop: 'lo w' })).toMatchObject({
      finish_reason: 'stop',
      stop_reason: 'lo w',
    });
    expect(await choice({ ...hello, max_tokens: 6, stop: 'lo w' })).toMatchObject({
      finish_reason: 'length',
      message: { content: 'hello ' },
    });
  });

  test('rejects values that are not stop strings [chat 109 110]', async () => {
    expect((await choice({ ...hello, stop: ['Hi'] })).message.content).toBe('hello world');
    expect(await refusal({ stop: [''] })).toEqual(bad('stop'));
    expect(await refusal({ stop: '' })).toEqual(bad('stop'));
    expect(await refusal({ stop: 5 })).toEqual(invalid('stop'));
    expect((await choice({ ...hello, stop: null })).message.content).toBe('hello world');
  });

  test('ignores stop strings within min_tokens [chat 111]', async () => {
    const asked = { ...spelling('xabyabz', 'xabyz'), stop: ['ab'], min_tokens: 4 };
    expect(await choice(asked)).toMatchObject({ message: { content: 'xaby' }, stop_reason: 'ab' });
  });

  const repeated = {
    allowed_token_ids: ['a', 'b'].map(tokenId),
    structured_outputs: { regex: '(ab)+' },
    max_tokens: 12,
  };
  const detection = (b: number, a: number, count: number) => ({
    repetition_detection: { max_pattern_size: b, min_pattern_size: a, min_count: count },
  });

  test('ends at a repetition [chat 113 114]', async () => {
    const found = await chat({ ...repeated, ...detection(5, 2, 3) });
    expect(found.choices[0]).toMatchObject({
      finish_reason: 'repetition',
      stop_reason: 'repetition_detected',
      message: { content: 'ababab' },
    });
    expect(found.usage.completion_tokens).toBe(6);
    expect((await choice({ ...repeated, ...detection(5, 2, 3), min_tokens: 10 })).message.content).toBe('ababababab');
    expect((await choice({ ...repeated, max_tokens: 7, ...detection(5, 3, 3) })).finish_reason).toBe('length');
    expect((await choice({ ...repeated, max_tokens: 7, ...detection(5, 2, 5) })).finish_reason).toBe('length');
  });

  test('rejects contradictory repetition detection [chat 116]', async () => {
    for (const off of [{}, { max_pattern_size: 0 }])
      expect((await choice({ repetition_detection: off })).finish_reason).toBeTruthy();
    for (const [b, a, count] of [
      [2, 3, 2],
      [2, 1, 1],
      [-1, 0, 0],
    ] as const) {
      expect(await refusal(detection(b, a, count))).toEqual(invalid('repetition_detection', 'value_error'));
    }
  });
});
