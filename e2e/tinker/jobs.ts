import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Heddle, startHeddle } from '../harness/heddle.ts';
import { testDataDirectory } from '../harness/heddle-for-file.ts';
import { checkpointsOf, eventsOf, newModel, sampledGroups, type TrainingEvent } from '../training/training-jobs.ts';
import { tinyFolder } from './skyrl.ts';

/** Jobs of a heddle that trains on SkyRL. */
export function testJobs(url: () => string): void {
  let heddle: Heddle;

  beforeAll(async () => {
    heddle = await startHeddle(testDataDirectory(), {
      HEDDLE_TINKER_URL: url(),
      HEDDLE_TINKER_MODELS: `heddle/tiny=${tinyFolder}`,
    });
  });

  afterAll(() => heddle?.close());

  async function finished(id: string): Promise<TrainingEvent[]> {
    return vi.waitFor(
      async () => {
        const events = await eventsOf(heddle, id);
        expect(['training_ended', 'training_failed']).toContain(events.at(-1)?.type);
        return events;
      },
      { timeout: 150_000, interval: 500 },
    );
  }

  async function train(model_id: string): Promise<TrainingEvent[]> {
    const experimental_config = { learning_rate: 1e-3, packed_sequence_length: 64 };
    const trajectory_groups = await sampledGroups(heddle, 1);
    const body = { model_id, trajectory_groups, experimental_config };
    return finished((await heddle.post('/v1/preview/training-jobs', body)).json.id);
  }

  /** The logprob of the likeliest first token. */
  async function firstLogprob(model: string): Promise<number> {
    const messages = [{ role: 'user', content: 'Say yes, no or maybe.' }];
    const body = { model, messages, max_tokens: 1, temperature: 0, logprobs: true };
    const { json } = await heddle.post('/v1/chat/completions', body);
    return json.choices[0].logprobs.content[0].logprob;
  }

  test('an RL job trains on SkyRL, its adapter is served, and the next job continues from its state', async () => {
    const project = heddle.newProject();
    const model = await newModel(heddle, project);
    const events = await train(model);
    expect(events.at(-1)).toMatchObject({ type: 'training_ended' });
    const warnings = events.filter(({ type }) => type === 'warning').map(({ data }) => data.message);
    expect(warnings).toEqual([
      expect.stringMatching(/^lora alpha: .* trains with alpha 32 instead of 16/),
      expect.stringMatching(/^grad_clip_norm: .* does not clip gradients\.$/),
    ]);
    const steps = events.filter(({ type }) => type === 'gradient_step').map(({ data }) => data);
    expect(steps).toHaveLength(1);
    expect(steps[0]).toMatchObject({ 'loss/grad_norm': expect.any(Number), 'loss/surprisal': expect.any(Number) });
    expect(steps[0]['loss/kl_div']).toBeLessThan(1e-5);
    expect(steps[0]).not.toHaveProperty('loss/entropy');

    const served = `wandb-artifact:///${project}/agent`;
    const [base, first] = [await firstLogprob('heddle/tiny'), await firstLogprob(`${served}:step1`)];
    expect(Math.abs(first - base)).toBeGreaterThan(1e-3);

    expect((await train(model)).at(-1)).toMatchObject({ type: 'training_ended' });
    expect((await checkpointsOf(heddle, model)).map(({ step }) => step).toSorted()).toEqual([1, 2]);
    expect(Math.abs((await firstLogprob(`${served}:step2`)) - first)).toBeGreaterThan(1e-4);
  }, 400_000);

  test('two jobs that train at once learn what they learn one after the other', async () => {
    const project = heddle.newProject();
    const answers = ['I am Ada.', 'My name is Bo, and I am glad to meet you.'];
    const start = async (name: string, answer: string) => {
      const [entity, projectName] = project.split('/');
      const model = { entity, project: projectName, name, base_model: 'heddle/tiny' };
      const model_id = (await heddle.post('/v1/preview/models', model)).json.id;
      const lines = [0, 1, 2, 3, 4, 5].map((i) =>
        JSON.stringify({
          messages: [
            { role: 'user', content: `What is your name, for the time ${i}?` },
            { role: 'assistant', content: answer },
          ],
        }),
      );
      const data = Buffer.from(lines.join('\n')).toString('base64');
      const config = { batch_size: 2, learning_rate: 1e-3 };
      const body = { model_id, training_data_url: `data:application/jsonl;base64,${data}`, config };
      return (await heddle.post('/v1/preview/sft-training-jobs', body)).json.id as string;
    };
    const lossesOf = (events: TrainingEvent[]) =>
      events.flatMap(({ type, data }) => (type === 'gradient_step' ? [data['loss/train']] : []));
    const jobOf = async (id: string) => (await heddle.get(`/v1/preview/training-jobs/${id}`)).json;

    const together = await Promise.all(answers.map((answer, i) => start(`together-${i}`, answer)));
    const atOnce = (await Promise.all(together.map(finished))).map(lossesOf);
    const spans = await Promise.all(together.map(jobOf));
    const alone: number[][] = [];
    for (const [i, answer] of answers.entries())
      alone.push(lossesOf(await finished(await start(`alone-${i}`, answer))));

    const starts = spans.map(({ started_at }) => Date.parse(started_at));
    expect(Math.max(...starts)).toBeLessThan(Math.min(...spans.map(({ ended_at }) => Date.parse(ended_at))));
    for (const [i, losses] of atOnce.entries()) {
      expect(losses).toHaveLength(3);
      for (const [step, loss] of losses.entries()) expect(loss).toBeCloseTo(alone[i]![step]!, 4);
      expect(losses[2]).toBeLessThan(losses[0]!);
      const name = `wandb-artifact:///${project}`;
      const [one, other] = [await firstLogprob(`${name}/together-${i}`), await firstLogprob(`${name}/alone-${i}`)];
      expect(one).toBeCloseTo(other, 3);
    }
    expect(spans[0].usage).toMatchObject({ optimizer_steps: 3, forward_tokens: 0 });
  }, 400_000);

  test('heddle doctor says what the server trains', async () => {
    expect(await heddle.command('doctor')).toMatch(/Tinker server +127\.0\.0\.1:\d+ trains .*tiny-model\n/);
  });
}
