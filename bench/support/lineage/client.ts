import { setTimeout as wait } from 'node:timers/promises';
import type { VerificationJson } from '../../../src/domain/lineage/verification-json.ts';
import { benchProject, type Heddle } from '../heddle.ts';
import { post } from '../interface-store.ts';
import { sendAll } from '../load.ts';

/** Asks a server of a bench. @throws if it refuses */
// biome-ignore lint/suspicious/noExplicitAny: as `JSON.parse` returns it
export async function ask(heddle: Heddle, path: string, body: unknown): Promise<any> {
  const text = await askText(heddle, path, body);
  return JSON.parse(text);
}

async function askText({ address, key }: Heddle, path: string, body: unknown): Promise<string> {
  const response = await fetch(address + path, {
    method: body === null ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === null ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${text}`);
  return text;
}

/** Sends chats, several at a time, and waits until all are recorded. @returns the ids of their calls */
export async function chatAndRecord(heddle: Heddle, bodies: object[], connections: number): Promise<string[]> {
  const before = new Set(await answerIds(heddle));
  const shots = bodies.map((body) => {
    const shot = post(heddle.key, '/v1/chat/completions', body);
    return { ...shot, headers: { ...shot.headers, 'x-heddle-project': benchProject } };
  });
  const { hits } = await sendAll(heddle.address, shots, connections);
  const refused = hits.find(({ status }) => status !== 200);
  if (refused) throw new Error(`A chat was answered with ${refused.status}: ${refused.text}`);
  for (;;) {
    const ids = (await answerIds(heddle)).filter((id) => !before.has(id));
    if (ids.length >= bodies.length) return ids;
    await wait(200);
  }
}

async function answerIds(heddle: Heddle): Promise<string[]> {
  const filter = { op_names: ['heddle.chat.completions'] };
  const text = await askText(heddle, '/calls/stream_query', {
    project_id: benchProject,
    filter,
    columns: ['id'],
  }).catch(
    () => '', // the project is not there yet
  );
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).id);
}

export async function verify(
  heddle: Heddle,
  callIds: string[],
  model: string | null = null,
): Promise<VerificationJson[]> {
  const lines: VerificationJson[] = [];
  for (let from = 0; from < callIds.length; from += 100) {
    const body = { call_ids: callIds.slice(from, from + 100), model };
    const text = await askText(heddle, `/v2/${benchProject}/lineage/verify`, body);
    lines.push(
      ...text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    );
  }
  return lines;
}

/** Trains a model of the project on some calls, and waits for the checkpoint. @returns the id of the job */
export async function trainOn(heddle: Heddle, model: string, chosen: string[], learningRate: number): Promise<string> {
  const config = { batch_size: 1, learning_rate: learningRate };
  const wanted = { project_id: benchProject, model, base_model: 'heddle/tiny', chosen, config };
  const { id } = await ask(heddle, '/calls/train_sft', wanted);
  for (;;) {
    const { status } = await ask(heddle, `/v1/preview/training-jobs/${id}`, null);
    if (status === 'ended') return id;
    if (status === 'failed') throw new Error(`The job ${id} failed.`);
    await wait(200);
  }
}

export const trainedName = (model: string, step: number) => `wandb-artifact:///${benchProject}/${model}:step${step}`;
