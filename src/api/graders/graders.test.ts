import { describe, expect, test } from 'vitest';
import { usualCompletion } from '../../providers/testing/stub-provider.ts';
import { providerProject } from '../testing/provider-project.ts';

const project = providerProject();
const path = '/v1/fine_tuning/alpha/graders';

const run = (grader: object, sample = 'Paris', item: object = {}) =>
  project.server.post(
    `${path}/run`,
    { grader, model_sample: sample, item },
    { headers: { 'X-Heddle-Project': project.name } },
  );
const answer = (content: string | null, more: object = {}) => ({
  json: { ...usualCompletion, choices: [{ index: 0, message: { role: 'assistant', content, ...more } }] },
});

const check = { type: 'string_check', name: 'same', input: '{{sample.output_text}}', reference: '{{ item.answer }}' };
const similar = { ...check, type: 'text_similarity', name: 'similar' };
const asked = { name: 'judged', model: 'custom::stub::judge', input: [{ role: 'user', content: 'Rate {{ item.q }}' }] };
const score = { type: 'score_model', ...asked };
const label = { type: 'label_model', ...asked, labels: ['good', 'bad'], passing_labels: ['good'] };

describe('run', () => {
  test.each([
    ['eq', 'Paris', 1],
    ['eq', 'paris', 0],
    ['ne', 'paris', 1],
    ['like', 'ari', 1],
    ['like', 'ARI', 0],
    ['ilike', 'ARI', 1],
  ])('string_check compares with %s: %s gives %d', async (operation, expected, reward) => {
    const { status, json } = await run({ ...check, operation }, 'Paris', { answer: expected });
    expect([status, json.reward]).toEqual([200, reward]);
    expect(json.metadata).toMatchObject({ name: 'same', type: 'string_check', token_usage: null, scores: {} });
  });

  test('numbers of the item keep their digits', async () => {
    const { grader, sample } = { grader: { ...check, operation: 'eq' }, sample: '107505301260286111 1.0' };
    const body = JSON.stringify({
      grader: { ...grader, reference: '{{ item.id }} {{ item.price }}' },
      model_sample: sample,
    });
    const text = body.replace(/}$/, ',"item":{"id":107505301260286111,"price":1.0}}');
    const headers = { 'X-Heddle-Project': project.name, 'content-type': 'application/json' };
    expect((await project.server.post(`${path}/run`, text, { headers })).json.reward).toBe(1);
  });

  test('text_similarity compares with every metric', async () => {
    const metrics = ['fuzzy_match', 'bleu', 'gleu', 'meteor', 'rouge_1', 'rouge_l'];
    const rewards = metrics.map(async (evaluation_metric) => {
      return (await run({ ...similar, evaluation_metric }, 'a cat on a mat', { answer: 'a cat on a mat' })).json.reward;
    });
    expect(await Promise.all(rewards)).toEqual([1, 1, 1, expect.closeTo(0.996), 1, 1].map((each) => each));
  });

  test('cosine needs an embedding model, and says so', async () => {
    const { status, json } = await run({ ...similar, evaluation_metric: 'cosine' }, 'a', { answer: 'b' });
    expect([status, json.error.message]).toEqual([400, expect.stringContaining('OPENAI_API_KEY')]);
  });

  test('a text that is too long for a metric is an error of the grade', async () => {
    const grader = { ...similar, evaluation_metric: 'bleu' };
    const { json } = await run(grader, 'a'.repeat(20_001), { answer: 'b' });
    expect(json).toMatchObject({ reward: 0, metadata: { errors: { other_error: true } } });
    expect(json.metadata.error_details).toContain('up to 20000 characters');
  });

  test('score_model asks a model with a schema, and counts its tokens', async () => {
    await project.publishProvider(['judge']);
    project.stub.answers.push(answer('{"reasoning": "well", "result": 5.5}'));
    const sampling_params = { temperature: 0, max_completions_tokens: 50, seed: 3 };
    const { json } = await run({ ...score, range: [1, 7], sampling_params }, 'x', { q: 'this' });
    expect(json).toMatchObject({
      reward: 5.5,
      metadata: { sampled_model_name: 'stub-1-2024', token_usage: 10 },
      model_grader_token_usage_per_model: { judge: { requests: 1, total_tokens: 10 } },
    });
    expect(project.stub.received[0]!.body).toMatchObject({
      model: 'judge',
      messages: [{ role: 'user', content: 'Rate this' }],
      temperature: 0,
      max_completion_tokens: 50,
      seed: 3,
      response_format: { type: 'json_schema', json_schema: { strict: true } },
    });
  });

  test.each([
    ['{"reasoning": "", "result": "good"}', 1],
    ['{"reasoning": "", "result": "bad"}', 0],
    ['good', 1],
  ])('label_model passes the labels that say so: %s gives %d', async (content, reward) => {
    await project.publishProvider(['judge']);
    project.stub.answers.push(answer(content));
    expect((await run(label, 'x', { q: 'this' })).json.reward).toBe(reward);
  });

  test.each([
    [score, answer('{"result": 7}'), 'model_grader_parse_error', 'score from 0 to 1 (found 7)'],
    [score, answer('no idea'), 'model_grader_parse_error', 'found "no idea"'],
    [score, answer(''), 'model_grader_parse_error', 'found ""'],
    [label, answer('{"result": "fine"}'), 'model_grader_parse_error', 'one of the labels good, bad (found "fine")'],
    [score, answer(null, { refusal: 'No.' }), 'model_grader_refusal_error', 'The model refused to grade: No.'],
    [score, { status: 400, json: { error: { message: 'odd request' } } }, 'model_grader_server_error', 'odd request'],
    [
      { ...score, input: asked.input.map((each) => ({ ...each, content: '{{item.z}}' })) },
      answer(''),
      'invalid_variable_error',
      'no "z"',
    ],
  ])('reports what prevents the grade of %j', async (grader, answered, problem, message) => {
    await project.publishProvider(['judge']);
    project.stub.answers.push(answered);
    const { status, json } = await run(grader, 'x', { q: 'this' });
    expect([status, json.reward, json.metadata.errors[problem]]).toEqual([200, 0, true]);
    expect(json.metadata.error_details).toContain(message);
  });

  test('an unknown model is an error of the request', async () => {
    const { status, json } = await run({ ...score, model: 'custom::no::one' }, 'x', { q: 'this' });
    expect([status, json.error.type]).toEqual([404, 'invalid_request_error']);
    for (const model of ['gpt-nope', 'tiny', 'heddle/nope', 'my-claude']) {
      const { status, json } = await run({ ...score, model }, 'x', { q: 'this' });
      expect([status, json.error.type]).toEqual([404, 'invalid_request_error']);
      expect(json.error.message).toContain(`There is no model ${model}. heddle serves heddle/tiny`);
    }
    for (const model of ['gpt-4o', 'openai/gpt-nope']) {
      const { status, json } = await run({ ...score, model }, 'x', { q: 'this' });
      expect([status, json.error.message]).toEqual([400, expect.stringContaining('OPENAI_API_KEY is not set')]);
    }
  });

  test.each([
    [score, {}, [0, 1]],
    [score, { range: [1, 5] }, [1, 5]],
    [score, { range: [-0.25, 0.5] }, [-0.25, 0.5]],
    [label, { labels: ['good', '"quite" bad\n'] }, [0, 1]],
  ])('heddle’s own engine always answers $type with a verdict, with %j', async (grader, more, [from, to]) => {
    for (const max_completion_tokens of [1, 6, 40]) {
      const sampling_params = { temperature: 1.5, seed: max_completion_tokens, max_completion_tokens };
      const { json } = await run({ ...grader, ...more, model: 'heddle/tiny', sampling_params }, 'x', { q: 'this' });
      expect(json.metadata.error_details ?? null).toBeNull();
      expect(json.reward).toBeGreaterThanOrEqual(from!);
      expect(json.reward).toBeLessThanOrEqual(to!);
      const usage = json.model_grader_token_usage_per_model['heddle/tiny'];
      expect(usage.completion_tokens).toBeGreaterThan(0);
    }
  });

  test('multi combines the scores of its graders', async () => {
    await project.publishProvider(['judge']);
    project.stub.answers.push(answer('{"result": 0.5}'));
    const graders = { same: { ...check, operation: 'eq' }, judged: score };
    const grader = { type: 'multi', name: 'all', graders, calculate_output: '0.5 * same + max(judged, 0.1)' };
    const { json } = await run(grader, 'Paris', { answer: 'Paris', q: 'this' });
    expect(json).toMatchObject({ reward: 1, sub_rewards: { same: 1, judged: 0.5 } });
    const divided = await run({ ...grader, calculate_output: 'same / 0' }, 'Paris', { answer: 'Paris', q: 'this' });
    expect(divided.json.metadata.errors.other_error || divided.json.metadata.errors.model_grader_parse_error).toBe(
      true,
    );
  });
});

describe('validate', () => {
  const validate = (grader: unknown) => project.server.post(`${path}/validate`, { grader });

  test('returns a valid grader', async () => {
    const grader = { ...check, operation: 'eq' };
    expect(await validate(grader)).toMatchObject({ status: 200, json: { grader } });
  });

  test.each([
    [{ type: 'python', name: 'p', source: 'x' }, 'grader.type', 'invalid_grader'],
    [{ ...check, operation: 'eq', input: '{{x}}' }, 'grader.input', 'invalid_grader'],
    [{ ...check, operation: 'same' }, 'grader.operation', 'invalid_value'],
    [{ ...check }, 'grader.operation', 'invalid_value'],
    [{ ...label, labels: undefined }, 'grader.labels', 'missing_required_parameter'],
    [{ type: 'regex' }, 'grader.type', 'invalid_value'],
    [7, 'grader', 'invalid_value'],
  ])("rejects %j in the shape of OpenAI's errors", async (grader, param, code) => {
    const { status, json } = await validate(grader);
    expect(status).toBe(400);
    expect(json.error).toEqual({ message: expect.any(String), type: 'invalid_request_error', param, code });
  });
});
