import type { Heddle } from '../heddle.ts';

// biome-ignore lint/suspicious/noExplicitAny: each endpoint answers in its own shape
type Json = Record<string, any>;

/** Asks for the events of a job until it has ended. @returns all of them */
export async function trainingEnded(heddle: Heddle, id: string, askEveryMs = 5): Promise<Json[]> {
  for (;;) {
    const { data } = await get(heddle, `/v1/preview/training-jobs/${id}/events?limit=100`);
    if (data.some(({ type }: Json) => type === 'training_ended')) return data;
    const failed = data.find(({ type }: Json) => type === 'training_failed');
    if (failed) throw new Error(failed.data.error_message);
    await new Promise((resolve) => setTimeout(resolve, askEveryMs));
  }
}

export async function post(heddle: Heddle, path: string, body: object): Promise<Json> {
  return (await (await request(heddle, path, body)).json()) as Json;
}

async function get(heddle: Heddle, path: string): Promise<Json> {
  return (await (await request(heddle, path)).json()) as Json;
}

export async function request({ address, key }: Heddle, path: string, body?: object): Promise<Response> {
  const response = await fetch(address + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
}
