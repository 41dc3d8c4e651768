import { randomUUID } from 'node:crypto';
import { ListMultipartUploadsCommand, type S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openS3, s3Client } from '../../src/store/blobs/s3/open.ts';
import { openS3Blobs } from '../../src/store/blobs/s3/s3-blobs.ts';
import { parseS3Url, type S3Address } from '../../src/store/blobs/s3/s3-url.ts';
import { testBlobs } from '../../src/store/blobs/testing/blobs-suite.ts';
import { swiftEnvironment } from './environment.ts';
import { type S3Server, startSwift } from './swift-server.ts';

/** Another server to test, as in HEDDLE_BLOBS_URL; its credentials are in the environment. */
const given = process.env.HEDDLE_TEST_S3_URL;

describe.skipIf(given === undefined && !swiftEnvironment.isReady())('blobs in a bucket', () => {
  const before = { ...process.env };
  let swift: S3Server | null = null;
  let address: S3Address;
  let client: S3Client;

  beforeAll(async () => {
    if (given === undefined) {
      swift = await startSwift('heddle-test');
      Object.assign(process.env, swift.credentials);
    }
    address = parseS3Url(given ?? `s3://heddle-test/some/prefix?endpoint=${swift!.endpoint}`);
    client = s3Client(address);
  });
  afterAll(async () => {
    client?.destroy();
    await swift?.stop();
    process.env = before;
  });

  const emptyBlobs = () => openS3Blobs(client, { bucket: address.bucket, prefix: `${address.prefix}${randomUUID()}/` });
  testBlobs(emptyBlobs);

  test('a bucket is tried out when it is opened', async () => {
    const store = await openS3(address);
    await store.probe();
    const keys: string[] = [];
    for await (const key of store.blobs.list('heddle-probe')) keys.push(key);
    expect(keys).toEqual([]);
    store.close();
  });

  test('a failed upload in parts leaves no parts', async () => {
    async function* broken() {
      for (let i = 0; i < 40; i++) yield Buffer.alloc(1_000_000);
      throw new Error('the client is gone');
    }
    await expect(emptyBlobs().put('projects/p/a', broken())).rejects.toThrow('the client is gone');
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: address.bucket }));
    expect(Uploads).toEqual([]);
  });

  test('says what is wrong with a bucket', async () => {
    const missing = { ...address, bucket: `missing-${randomUUID()}` };
    await expect(openS3(missing)).rejects.toThrow(`There is no bucket ${missing.bucket}.`);
    const unreachable = { ...address, endpoint: 'http://127.0.0.1:9' };
    await expect(openS3(unreachable)).rejects.toThrow(
      `The bucket ${address.bucket} cannot be used: connect ECONNREFUSED`,
    );
  });

  test.skipIf(given !== undefined)(
    'wrong credentials are refused, and a bucket that does not answer is unavailable',
    async () => {
      const secret = process.env.AWS_SECRET_ACCESS_KEY;
      process.env.AWS_SECRET_ACCESS_KEY = 'wrong';
      try {
        await expect(openS3(address)).rejects.toThrow(/heddle-test refuses the credentials/);
      } finally {
        process.env.AWS_SECRET_ACCESS_KEY = secret;
      }
      const blobs = emptyBlobs();
      await swift!.stop();
      for (const work of [() => blobs.size('a'), () => blobs.put('a', Buffer.from('x')), () => blobs.delete('a')]) {
        await expect(work()).rejects.toMatchObject({ kind: 'unavailable' });
      }
    },
  );
});
