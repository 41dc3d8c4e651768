import { expect, test } from 'vitest';
import { testServer } from '../testing/server.ts';
import { jobsOf } from '../training-jobs/testing/jobs-of.ts';

test('threads with rows that a model was trained on are shown, and do not decide', async () => {
  const server = await testServer();
  const jobs = jobsOf(server);
  const project = await server.newProject();
  const animals = ['fox', 'crow', 'otter', 'badger', 'heron', 'lynx', 'toad', 'hare', 'wren', 'mole'];
  const rows = animals.map((animal) => ({
    question: `Why did the ${animal} leave the river before the first snow fell?`,
  }));
  await server.post(`/v2/${project}/datasets`, { name: 'animals', rows });
  await server.post(`/v2/${project}/suites`, { name: 'animals', dataset: 'animals' });

  const line = {
    messages: [
      { role: 'user', content: rows[3]!.question },
      { role: 'assistant', content: 'maybe' },
    ],
  };
  const model_id = await jobs.newModel(project);
  const job = await server.post('/v1/preview/sft-training-jobs', {
    ...{ model_id, config: { batch_size: 1 }, allow_suite_rows: true },
    training_data_url: `data:application/jsonl;base64,${Buffer.from(JSON.stringify(line)).toString('base64')}`,
  });
  await jobs.is(job.json.id, 'ended');

  const { json } = await server.post(`/v2/${project}/gates`, {
    ...{ suite: 'animals', candidate: `wandb-artifact:///${project}/agent`, incumbent: 'heddle/tiny' },
    model_params: { messages_template: [{ role: 'user', content: '{question}' }], max_tokens: 1, temperature: 0 },
    ...{ scorers: ['regex:^.$'], target: { metric: 'regex:^.$', gain: 0.01 } },
  });
  expect(json.plan).toMatchObject({ trainedOn: [3], threads: 9, threadsMax: 9 });
  const read = async () => (await server.get(`/v2/${project}/gates/${json.id}`)).json;
  await expect.poll(async () => (await read()).state, { timeout: 60_000 }).toBe('decided');
  const { progress } = await read();
  expect(progress.target.threads).toBe(9);
  // Threads after the last one that decides are not asked.
  expect(progress.target_of_all.threads).toBe(progress.threads);
  expect(progress.threads).toBeGreaterThanOrEqual(9);
  const { gates } = (await server.get(`/v2/${project}/gates`)).json;
  expect(gates).toMatchObject([{ id: json.id, threads: 9 }]);
});
