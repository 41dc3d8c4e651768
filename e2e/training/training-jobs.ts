import type { Heddle } from '../harness/heddle.ts';

// biome-ignore lint/suspicious/noExplicitAny: each type of event has its own data
export type TrainingEvent = { id: string; type: string; data: any };

const jobs = '/v1/preview/training-jobs';

/** Registers the model `agent` over `heddle/tiny`, in a new project unless one is named. */
export async function newModel(heddle: Heddle, inProject = heddle.newProject()): Promise<string> {
  const [entity, project] = inProject.split('/');
  const body = { entity, project, name: 'agent', base_model: 'heddle/tiny' };
  return (await heddle.post('/v1/preview/models', body)).json.id;
}

/** Groups of sampled answers whose rewards differ. */
export async function sampledGroups(heddle: Heddle, count: number): Promise<object[]> {
  const messages = [{ role: 'user', content: 'Say yes, no or maybe.' }];
  const options = { max_tokens: 4, n: 4, temperature: 1, logprobs: true, return_token_ids: true };
  const { json } = await heddle.post('/v1/chat/completions', { model: 'heddle/tiny', messages, ...options });
  const trajectories = json.choices.map((choice: object, index: number) => ({
    messages_and_choices: [...messages, choice],
    reward: index % 2,
  }));
  return Array.from({ length: count }, () => ({ trajectories }));
}

export async function startJob(heddle: Heddle, modelId: string, groups: object[]): Promise<string> {
  const config = { learning_rate: 1e-4, packed_sequence_length: 64 };
  const body = { model_id: modelId, trajectory_groups: groups, experimental_config: config };
  return (await heddle.post(jobs, body)).json.id;
}

/** Starts a supervised job of so many steps. */
export async function startSftJob(heddle: Heddle, modelId: string, steps: number, config?: object): Promise<string> {
  const messages = [
    { role: 'user', content: 'Say yes, no or maybe.' },
    { role: 'assistant', content: 'maybe' },
  ];
  const lines = `${JSON.stringify({ messages })}\n`.repeat(steps);
  const url = `data:application/jsonl;base64,${Buffer.from(lines).toString('base64')}`;
  const body = { model_id: modelId, training_data_url: url, config: { batch_size: 1, ...config } };
  return (await heddle.post('/v1/preview/sft-training-jobs', body)).json.id;
}

/** All events of a job so far, however many pages they fill. */
export async function eventsOf(heddle: Heddle, id: string): Promise<TrainingEvent[]> {
  const events: TrainingEvent[] = [];
  for (;;) {
    const after = events.length === 0 ? '' : `&after=${events.at(-1)!.id}`;
    const page = (await heddle.get(`${jobs}/${id}/events?limit=100${after}`)).json.data;
    events.push(...page);
    if (page.length < 100) return events;
  }
}

export async function checkpointsOf(heddle: Heddle, modelId: string): Promise<{ id: string; step: number }[]> {
  return (await heddle.get(`/v1/preview/models/${modelId}/checkpoints`)).json.data;
}
