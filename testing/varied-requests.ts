const topics = [
  'the sea',
  'a house',
  'your name',
  'two and two',
  'the weather',
  'a cat',
  'music',
  'numbers',
  'the sun',
  'tea',
];
const asked = ['Tell me about', 'What is', 'Write one line about', 'Why do people like', 'Do you know'];
const schema = {
  type: 'object',
  properties: { a: { type: 'integer', minimum: 0, maximum: 99 }, b: { enum: ['x', 'y', 'z'] } },
  required: ['a', 'b'],
};

/** How the tokens of an answer are drawn and held. */
const ways: object[] = [
  {},
  { temperature: 0.7, top_p: 0.9 },
  { temperature: 1.4, top_k: 50, min_p: 0.01 },
  { frequency_penalty: 0.5, presence_penalty: 0.3, repetition_penalty: 1.1 },
  { logit_bias: { 40: 2, 50: -100 }, bad_words: ['the'] },
  { response_format: { type: 'json_schema', json_schema: { name: 'x', schema } }, max_tokens: 48 },
  { structured_outputs: { regex: '[a-f]{4,12}(-[0-9]{1,4})?' } },
  { structured_outputs: { choice: ['yes', 'no', 'perhaps', 'never'] } },
  { structured_outputs: { grammar: 'root ::= ("a" | "b" | "c") ("a" | "b" | "c") root | "."' } },
  { stop: ['e', 'st'], n: 2 },
  { temperature: 0 },
];

/** A request for a chat; each number is another one. One in two has a seed of its own, the others are given one by the server. */
export function variedRequest(n: number): object {
  const content = `${asked[n % asked.length]} ${topics[Math.floor(n / asked.length) % topics.length]} ${n}?`;
  const seed = n % 2 === 0 ? {} : { seed: n % 4 === 1 ? n : -n * 1_000_003 };
  return { messages: [{ role: 'user', content }], max_tokens: 24, temperature: 1, ...seed, ...ways[n % ways.length] };
}
