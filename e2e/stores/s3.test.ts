import { hash, randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { ListMultipartUploadsCommand, type S3Client } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Blobs } from '../../src/store/blobs/blobs.ts';
import { allAbilities } from '../../src/store/blobs/s3/abilities.ts';
import { bucketDeployment } from '../../src/store/blobs/s3/deployment-id.ts';
import { findAbilities } from '../../src/store/blobs/s3/find-abilities.ts';
import { openS3, type S3Store, s3Client } from '../../src/store/blobs/s3/open.ts';
import { openS3Blobs } from '../../src/store/blobs/s3/s3-blobs.ts';
import { parseS3Url, type S3Address } from '../../src/store/blobs/s3/s3-url.ts';
import { testBlobs } from '../../src/store/blobs/testing/blobs-suite.ts';
import { testVerifiedBlobs } from '../../src/store/blobs/testing/verified-blobs-suite.ts';
import { swiftEnvironment } from './environment.ts';
import { type Lacks, type Relay, startRelay } from './relay.ts';
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

  const keysBelow = (blobs: Blobs, prefix: string) => Array.fromAsync(blobs.list(prefix));
  const emptyBlobs = (abilities = allAbilities) =>
    openS3Blobs(client, { bucket: address.bucket, prefix: `${address.prefix}${randomUUID()}/` }, abilities);
  testBlobs(emptyBlobs);
  testVerifiedBlobs(emptyBlobs);

  test('finds out what the server can do', async () => {
    expect(await findAbilities(client, address)).toEqual(allAbilities);
  });

  test('what a process has left that was killed at its start is removed', async () => {
    const blobs = openS3Blobs(client, address, allAbilities);
    await blobs.put('heddle-probe-left-over', Buffer.from('heddle'));
    await findAbilities(client, address);
    expect(await keysBelow(blobs, 'heddle-probe')).toEqual(['heddle-probe-left-over']); // perhaps of another start
    await findAbilities(client, address, { leftOverMs: -2000 }); // Swift rounds times up to seconds
    expect(await keysBelow(blobs, 'heddle-probe')).toEqual([]);
  });

  describe.skipIf(given !== undefined)('of a server that lacks something', () => {
    const opened: { close(): unknown }[] = [];
    afterEach(async () => {
      for (const each of opened.splice(0)) await each.close();
    });

    async function openLacking(lacks: Lacks): Promise<{ relay: Relay; lacking: S3Client }> {
      const relay = await startRelay(swift!, lacks);
      const lacking = s3Client(address, { endpoint: relay.endpoint });
      opened.push({ close: () => lacking.destroy() }, { close: () => relay.stop() });
      return { relay, lacking };
    }

    test('deletes one object at a time, and cuts parts out of whole objects', async () => {
      const { relay, lacking } = await openLacking({ isLimited: true });
      const abilities = await findAbilities(lacking, address);
      expect(abilities).toEqual({ deletesMany: false, sendsRanges: false, keepsExisting: true });
      const prefix = `${address.prefix}${randomUUID()}/`;
      const blobs = openS3Blobs(lacking, { bucket: address.bucket, prefix }, abilities);
      const keys = ['a', 'b', 'c'];
      for (const key of keys) await blobs.put(key, Buffer.from('0123456789'));
      expect(await text((await blobs.getRange('a', { start: 3, end: 5 }))!)).toBe('345');
      relay.takeRequests();
      await blobs.deleteMany(keys);
      expect(relay.takeRequests()).toEqual(keys.map((key) => `DELETE /${address.bucket}/${prefix}${key}`));
      for (const key of keys) expect(await blobs.size(key)).toBeNull();
    });

    test.each(['ignored', 'refused'] as const)('finds out that conditions of puts are %s', async (conditions) => {
      const { lacking } = await openLacking({ conditions });
      expect(await findAbilities(lacking, address)).toEqual({ ...allAbilities, keepsExisting: false });
    });

    test.each([
      [['PUT', 'POST', 'DELETE'], 'delete objects (s3:DeleteObject)'],
      [['POST', 'DELETE'], 'delete objects (s3:DeleteObject)'],
      [['PUT'], 'write objects (s3:PutObject)'],
      [['HEAD'], 'read objects (s3:GetObject)'],
      [['GET'], 'list objects (s3:ListBucket)'],
    ])('credentials that may not %s are refused with the right that is missing', async (forbidden, right) => {
      const { relay } = await openLacking({ forbidden });
      await expect(openS3({ ...address, endpoint: relay.endpoint })).rejects.toThrow(
        `The bucket ${address.bucket} does not let these credentials ${right}. Give them all the rights`,
      );
    });

    test.each([
      ['InsufficientStorage', 507, 'noSpace'],
      ['XMinioStorageFull', 507, 'noSpace'],
      ['XMinioAdminBucketQuotaExceeded', 400, 'noSpace'],
      ['QuotaExceeded', 403, 'noSpace'],
      ['SlowDown', 503, 'unavailable'],
      ['InternalError', 500, 'unavailable'],
    ])('a put that ends with %s (%i) fails as %s', async (code, status, kind) => {
      const { lacking } = await openLacking({ puts: { code, status } });
      const blobs = openS3Blobs(lacking, address, allAbilities);
      await expect(blobs.put('projects/p/a', Buffer.from('x'))).rejects.toMatchObject({ kind });
      const large = Buffer.alloc(17 * 1024 * 1024);
      await expect(blobs.put('projects/p/a', large)).rejects.toMatchObject({ kind });
    });

    test('a bucket that is full when heddle starts can be read', async () => {
      const { relay } = await openLacking({ puts: { code: 'XMinioStorageFull', status: 507 } });
      await openS3Blobs(client, address, allAbilities).put('projects/p/full', Buffer.from('0123'));
      const store = await openS3({ ...address, endpoint: relay.endpoint });
      opened.push(store);
      expect(await text((await store.blobs.getRange('projects/p/full', { start: 1, end: 2 }))!)).toBe('12');
    });

    test('an idle bucket is not asked whether it answers; one that failed is', async () => {
      const { relay } = await openLacking({});
      const store = await openS3({ ...address, endpoint: relay.endpoint });
      opened.push(store);
      relay.takeRequests();
      for (let i = 0; i < 3; i++) await store.probe();
      expect(relay.takeRequests()).toEqual([]);
      await store.blobs.size('unknown');
      await store.probe();
      expect(relay.takeRequests().length).toBe(1);
      await relay.stop();
      await expect(store.blobs.size('unknown')).rejects.toMatchObject({ kind: 'unavailable' });
      await expect(store.probe()).rejects.toThrow('ECONNREFUSED');
    });

    describe.each([{}, { conditions: 'ignored' }, { conditions: 'refused' }] as const)('with %o', (lacks) => {
      test('processes that start at the same moment agree on one id, and leave nothing else', async () => {
        const { lacking } = await openLacking(lacks);
        const abilities = await findAbilities(lacking, address);
        for (let round = 0; round < 2; round++) {
          const own = { ...address, prefix: `${address.prefix}${randomUUID()}/` };
          const blobs = openS3Blobs(lacking, own, abilities);
          const deployment = bucketDeployment({ client: lacking, address: own, abilities, blobs });
          const ids = Array.from({ length: 4 }, () => randomUUID());
          const agreed = await Promise.all(ids.map((id) => deployment.agree(id)));
          expect(ids).toContain(agreed[0]);
          expect(new Set(agreed).size).toBe(1);
          expect(await deployment.agree(randomUUID())).toBe(agreed[0]);
          expect(await keysBelow(blobs, '')).toEqual(['heddle-deployment']);
        }
      });
    });
  });

  test('the claim of a process that was killed at its first start ends', async () => {
    const own = { ...address, prefix: `${address.prefix}${randomUUID()}/` };
    const blobs = openS3Blobs(client, own, allAbilities);
    await blobs.put('heddle-deployment-claims/killed', Buffer.alloc(0));
    const bucket = { client, address: own, abilities: allAbilities, blobs };
    const waiting = bucketDeployment({ ...bucket, waitMsMax: 100 }).agree('one');
    await expect(waiting).rejects.toThrow('Other processes are starting with the bucket');
    expect(await bucketDeployment({ ...bucket, claimMsMax: 1 }).agree('two')).toBe('two');
    expect(await keysBelow(blobs, '')).toEqual(['heddle-deployment']);
  });

  describe('for clients that reach the bucket', () => {
    const bytes = Buffer.from('what a client uploads');
    const md5 = hash('md5', bytes);
    let store: S3Store;
    beforeAll(async () => {
      store = await openS3(address, { publicUrl: address.endpoint });
    });
    afterAll(() => store?.close());
    const put = (url: string, body: Buffer) => fetch(url, { method: 'PUT', body: new Uint8Array(body) });
    const newKeys = () => {
      const place = randomUUID();
      return { from: `unverified/p/${place}/${md5}`, to: `projects/${place}/artifact-files/${md5}`, md5 };
    };

    test.skipIf(given !== undefined)('signs addresses that read or write one object, without checksums', async () => {
      const { direct, blobs } = store;
      const { from, to } = newKeys();
      const upload = await direct!.address('PUT', from, 60);
      expect(upload).not.toMatch(/checksum|content-md5/i);
      expect((await put(upload, bytes)).status).toBe(200);
      expect(await text((await blobs.get(from))!.stream)).toBe(bytes.toString());
      const download = await direct!.address('GET', from, 60);
      expect(download).not.toMatch(/checksum/i);
      expect(await (await fetch(download)).text()).toBe(bytes.toString());
      const part = await fetch(download, { headers: { range: 'bytes=5-5' } });
      expect([part.status, await part.text()]).toEqual([206, 'a']);

      const { pathname: path } = new URL(upload);
      const other = upload.replace(path, path.replace(from, to));
      expect((await put(other, bytes)).status).toBe(403);
      expect((await fetch(download.replace(path, path.replace(from, to)))).status).toBe(403);
      expect((await put(download, bytes)).status).toBe(403);
      expect((await fetch(upload)).status).toBe(403);
      expect((await fetch(upload, { method: 'DELETE' })).status).toBe(403);
      expect((await put(upload.replace('X-Amz-Expires=60', 'X-Amz-Expires=600'), bytes)).status).toBe(403);
      expect(await blobs.size(to)).toBeNull();
    });

    test.skipIf(given !== undefined)('an address that has expired is refused', async () => {
      const { from } = newKeys();
      const upload = await store.direct!.address('PUT', from, 1);
      await setTimeout(2500);
      expect((await put(upload, bytes)).status).toBe(403);
    });

    test.skipIf(given !== undefined)('takes uploaded bytes without reading them', async () => {
      const relay = await startRelay(swift!);
      const watched = await openS3({ ...address, endpoint: relay.endpoint }, { publicUrl: address.endpoint });
      const { direct, blobs } = watched;
      const { from, to } = newKeys();
      await blobs.put(from, bytes);
      relay.takeRequests();
      expect(await direct!.accept({ from, to, md5 })).toBe(true);
      const path = `/${address.bucket}/${address.prefix}`;
      expect(relay.takeRequests()).toEqual([`HEAD ${path}${from}`, `PUT ${path}${to}`]);
      watched.close();
      await relay.stop();
    });

    test('takes uploaded bytes whose digest is right', async () => {
      const { direct, blobs } = store;
      const keys = newKeys();
      expect(await direct!.accept(keys)).toBe(false);
      await blobs.put(keys.from, Buffer.from('other bytes'));
      expect(await direct!.accept(keys)).toBe(false);
      expect(await blobs.size(keys.to)).toBeNull();
      await blobs.put(keys.from, bytes);
      expect(await direct!.accept(keys)).toBe(true);
      expect(await text((await blobs.get(keys.to))!.stream)).toBe(bytes.toString());
    });

    test('takes bytes whose tag is not their MD5', async () => {
      const { direct, blobs } = store;
      const large = Buffer.alloc(17 * 1024 * 1024, 'heddle'); // uploaded in parts
      const keys = { ...newKeys(), md5: hash('md5', large) };
      await blobs.put(keys.from, large);
      expect(await direct!.accept({ ...keys, md5 })).toBe(false);
      expect(await blobs.size(keys.to)).toBeNull();
      expect(await direct!.accept(keys)).toBe(true);
      expect(await blobs.size(keys.to)).toBe(large.length);
    });
  });

  test('a bucket is tried out when it is opened', async () => {
    const store = await openS3(address);
    await store.probe();
    expect(await keysBelow(store.blobs, 'heddle-probe')).toEqual([]); // by the attempts above, neither
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
