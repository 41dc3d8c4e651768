import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { GetObjectCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Heddle, newDataDirectory, startHeddle } from '../harness/heddle.ts';
import { swiftEnvironment } from './environment.ts';
import { type S3Server, s3ClientOf, startSwift } from './swift-server.ts';

describe.skipIf(!swiftEnvironment.isReady())('heddle with its files in a bucket', () => {
  let swift: S3Server;
  let server: Heddle;
  let client: S3Client;
  const data = newDataDirectory();
  const settings = () => ({ HEDDLE_BLOBS_URL: `s3://heddle/team?endpoint=${swift.endpoint}`, ...swift.credentials });

  beforeAll(async () => {
    swift = await startSwift('heddle');
    client = s3ClientOf(swift);
    server = await startHeddle(data, settings());
  });
  afterAll(async () => {
    client?.destroy();
    await server?.end('SIGTERM'); // its log has the 503s
    rmSync(data, { recursive: true });
    await swift?.stop();
  });

  async function upload(text: string): Promise<string> {
    const form = new FormData();
    form.set('purpose', 'fine-tune');
    form.set('file', new Blob([text]), 'chats.jsonl');
    const headers = { authorization: `Bearer ${server.key}` };
    const response = await fetch(`${server.url}/v1/files`, { method: 'POST', body: form, headers });
    expect(response.status).toBe(200);
    return ((await response.json()) as { id: string }).id;
  }

  async function keys(): Promise<string[]> {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: 'heddle' }));
    return Contents.map(({ Key }) => Key!);
  }

  const lines = Array.from({ length: 6 }, (_, i) =>
    JSON.stringify({
      messages: [
        { role: 'user', content: `What is ${i}?` },
        { role: 'assistant', content: `A number, ${i}.` },
      ],
    }),
  ).join('\n');

  test('files, training data and checkpoints are in the bucket, and a checkpoint is served over a restart', async () => {
    const file = await upload(lines);
    expect((await server.get(`/v1/files/${file}/content`)).text).toBe(lines);
    const method = { type: 'supervised', supervised: { hyperparameters: { n_epochs: 1, batch_size: 3 } } };
    const started = await server.post('/v1/fine_tuning/jobs', { model: 'heddle/tiny', training_file: file, method });
    expect(started.status).toBe(200);
    const job = await vi.waitFor(
      async () => {
        const found = (await server.get(`/v1/fine_tuning/jobs/${started.json.id}`)).json;
        expect(found).toMatchObject({ status: 'succeeded' });
        return found;
      },
      { timeout: 90_000, interval: 250 },
    );
    const ask = () =>
      server.post('/v1/chat/completions', {
        ...{ model: job.fine_tuned_model, temperature: 0, max_tokens: 8 },
        messages: [{ role: 'user', content: 'What is 3?' }],
      });
    const answer = await ask();
    expect(answer.status).toBe(200);
    const stored = await keys();
    expect(stored.every((key) => key.startsWith('team/'))).toBe(true);
    expect(stored.filter((key) => key.endsWith('adapter_model.safetensors')).length).toBeGreaterThan(0);
    expect(existsSync(join(data, 'blobs')) ? readdirSync(join(data, 'blobs')) : []).toEqual([]);

    await server.end('SIGKILL');
    await expect(startHeddle(data)).rejects.toThrow('was used with HEDDLE_BLOBS_URL, which is not set now');
    server = await startHeddle(data, settings());
    expect((await ask()).json.choices[0].message).toEqual(answer.json.choices[0].message);
    expect((await server.get(`/v1/files/${file}/content`)).text).toBe(lines);
  });

  test('two that start with an empty bucket at the same moment have one deployment', async () => {
    const directories = [newDataDirectory(), newDataDirectory()];
    const empty = { ...settings(), HEDDLE_BLOBS_URL: `s3://heddle/together?endpoint=${swift.endpoint}` };
    const both = await Promise.all(directories.map((each) => startHeddle(each, empty)));
    const ids = directories.map((each) => JSON.parse(readFileSync(join(each, 'kinds.json'), 'utf8')).deployment);
    expect(ids[0]).toBe(ids[1]);
    const object = await client.send(new GetObjectCommand({ Bucket: 'heddle', Key: 'together/heddle-deployment' }));
    expect(await object.Body!.transformToString()).toBe(ids[0]);
    expect((await keys()).filter((key) => key.startsWith('together/'))).toEqual(['together/heddle-deployment']);
    for (const [index, each] of both.entries()) {
      await each.end('SIGTERM');
      rmSync(directories[index]!, { recursive: true });
    }
  });

  test('a bucket that does not answer is 503, and everything else goes on', async () => {
    const file = await upload(lines);
    await swift.stop();
    const refused = await server.get(`/v1/files/${file}/content`);
    expect(refused.status).toBe(503);
    expect(refused.json.error.message).toBe('The store of files does not answer at the moment. Try again.');
    expect((await server.get('/v1/models')).status).toBe(200);
    await expect
      .poll(async () => (await server.get('/health/ready')).text, { timeout: 30_000 })
      .toMatch(/Bucket fails: .*ECONNREFUSED/);
    expect(server.takeLog()).toContain('ECONNREFUSED');
  });
});

describe('addresses of buckets', () => {
  test.each([
    ['https://bucket', 'HEDDLE_BLOBS_URL must be an address that begins with s3://'],
    ['s3://key:hidden@bucket', 'HEDDLE_BLOBS_URL must be an address without credentials: '],
    ['s3://bucket?endpoint=http://127.0.0.1:9&region=x', 'The bucket bucket cannot be used: '],
  ])('%s is refused at the start', async (url, message) => {
    const credentials = { AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'y' };
    const starting = startHeddle(newDataDirectory(), { HEDDLE_BLOBS_URL: url, ...credentials });
    await expect(starting).rejects.toThrow(message);
    await starting.catch(({ message }) => expect(message).not.toContain('hidden'));
  });
});
