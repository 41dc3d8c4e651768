import { expect } from 'vitest';
import type { TestServer } from '../../testing/server.ts';

const path = '/v1/preview/training-jobs';

/** Training jobs of a server of a test. */
export function jobsOf(server: TestServer) {
  const read = async (id: string) => (await server.get(`${path}/${id}`)).json;
  const events = async (id: string) => (await server.get(`${path}/${id}/events?limit=100`)).json.data;

  async function sampled(n: number, logprobShift: number) {
    const messages = [{ role: 'user', content: 'Say yes, no or maybe.' }];
    const options = { max_tokens: 4, n, temperature: 1, seed: 5, logprobs: true, return_token_ids: true };
    const { json } = await server.post('/v1/chat/completions', { model: 'heddle/tiny', messages, ...options });
    return json.choices.map((choice: any, index: number) => {
      for (const each of choice.logprobs.content) each.logprob -= logprobShift;
      return { messages_and_choices: [...messages, choice], reward: index % 2, metrics: {} };
    });
  }

  return {
    read,
    events,
    async newModel(project: string, name = 'agent'): Promise<string> {
      const [entity, projectName] = project.split('/');
      const body = { entity, project: projectName, name, base_model: 'heddle/tiny' };
      return (await server.post('/v1/preview/models', body)).json.id;
    },
    /** Groups of sampled answers, one step each. @param logprobShift how far their logprobs are from those of the sampler */
    async createRl(model_id: string, { groups = 1, logprobShift = 0, config = {} } = {}): Promise<string> {
      const trajectories = await sampled(6, logprobShift);
      const group = { trajectories, exceptions: [], metadata: {}, metrics: {}, logs: [] };
      const experimental_config = { learning_rate: 1e-3, packed_sequence_length: 64, ...config };
      const trajectory_groups = Array.from({ length: groups }, () => group);
      return (await server.post(path, { model_id, trajectory_groups, experimental_config })).json.id;
    },
    /** @param steps one conversation each */
    async createSft(model_id: string, steps = 1): Promise<string> {
      const messages = [
        { role: 'user', content: 'What is your name?' },
        { role: 'assistant', content: 'I am Ada.' },
      ];
      const lines = Array.from({ length: steps }, () => JSON.stringify({ messages })).join('\n');
      const training_data_url = `data:application/jsonl;base64,${Buffer.from(lines).toString('base64')}`;
      const body = { model_id, training_data_url, config: { batch_size: 1, learning_rate: 1e-3 } };
      return (await server.post('/v1/preview/sft-training-jobs', body)).json.id;
    },
    resume: (id: string) => server.post(`${path}/${id}/resume`, {}),
    cancel: (id: string) => server.post(`${path}/${id}/cancel`, {}),
    /** Waits for a status. @returns the job */
    async is(id: string, status: string) {
      await expect.poll(async () => (await read(id)).status, { timeout: 60_000, interval: 100 }).toBe(status);
      return read(id);
    },
    async types(id: string): Promise<string[]> {
      return (await events(id)).map(({ type }: { type: string }) => type);
    },
    checkpoints: async (model: string) => (await server.get(`/v1/preview/models/${model}/checkpoints`)).json.data,
  };
}
