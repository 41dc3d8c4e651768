import { randomUUID } from 'node:crypto';
import type { Client } from './client.ts';
import { type Check, expectEqual } from './ledger.ts';
import type { Writer } from './writers.ts';

/** Uploads a file with OpenAI's files API, trains on it, and deletes every other one. */
export const fineTune: Writer = async (client, _, ledger) => {
  const content = `${randomUUID()}\n`.repeat(1000);
  let file = '';
  const upload = async () => {
    const form = new FormData();
    form.append('purpose', 'fine-tune');
    form.append('file', new Blob([content]), 'data.jsonl');
    file = (await succeed(client, 'POST', '/v1/files', form)).id;
  };
  const isThere: Check = async (reader) => expectEqual(await contentOf(reader, file), [200, content]);
  const uploads = [`upload ${randomUUID()}`];
  await ledger.change(uploads, upload, [isThere]);

  let job = '';
  const create = async () => {
    const body = { model: 'heddle/tiny', training_file: file };
    job = (await succeed(client, 'POST', '/v1/fine_tuning/jobs', body)).id;
  };
  const isKept: Check = async (reader) => {
    const { status, json } = await reader.try('GET', `/v1/fine_tuning/jobs/${job}`);
    return expectEqual([status, json?.training_file], [200, file]);
  };
  await ledger.change([`job ${randomUUID()}`], create, [isKept]);

  if (Math.random() < 0.5) return;
  const isGone: Check = async (reader) => expectEqual((await contentOf(reader, file))[0], 404);
  await ledger.change(uploads, () => succeed(client, 'DELETE', `/v1/files/${file}`), [isGone]);
};

async function succeed(client: Client, method: string, path: string, body?: object) {
  const { status, json } = await client.try(method, path, body);
  if (status !== 200) throw new Error(`${method} ${path}: ${status} `);
  return json;
}

async function contentOf(reader: Client, file: string): Promise<[status: number, text: string]> {
  const { status, text } = await reader.try('GET', `/v1/files/${file}/content`);
  return [status, text];
}
