import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { openBlobDirectory } from '../store/blobs/directory/blob-directory.ts';
import { openSecretKey } from '../store/secret-key.ts';
import { openSignedBlobs, type SignedRequest } from './signed-blobs.ts';

const root = mkdtempSync(join(tmpdir(), 'heddle-signed-'));
afterAll(() => rmSync(root, { recursive: true }));
const blobs = openBlobDirectory(join(root, 'blobs'));
const deps = { blobs, directBlobs: null, secretKey: openSecretKey('', root) };
const signed = openSignedBlobs(deps, { validSeconds: 60 });
const expired = openSignedBlobs(deps, { validSeconds: -12 });
const bytes = (content: string) => Readable.from([Buffer.from(content)]);
const md5 = hash('md5', 'hello');

/** An address as a request arrives. */
function asked(address: string): SignedRequest {
  const { pathname, searchParams } = new URL(address, 'http://heddle');
  return { key: pathname.slice('/storage/'.length), query: Object.fromEntries(searchParams) };
}

test('downloads an uploaded blob at another URL', async () => {
  await signed.write(asked(signed.address({ method: 'PUT', key: 'a/b', md5 })), bytes('hello'));
  const url = await signed.url('http://heddle', { method: 'GET', key: 'a/b', md5: null });
  const { stream, sizeBytes } = await signed.read(asked(url)).whole();
  expect([await text(stream), sizeBytes]).toEqual(['hello', 5]);
});

test('rejects bytes with another digest and stores nothing', async () => {
  const address = asked(signed.address({ method: 'PUT', key: 'a/other', md5 }));
  await expect(signed.write(address, bytes('jello'))).rejects.toThrow(`not ${md5}`);
  expect(await deps.blobs.size('a/other')).toBeNull();
});

test('rejects an expired URL', async () => {
  const address = asked(expired.address({ method: 'GET', key: 'a/b', md5: null }));
  expect(() => signed.read(address)).toThrow('has expired');
  expect(() => signed.check('PUT', asked(expired.address({ method: 'PUT', key: 'a/b', md5: null })))).toThrow(
    'expired',
  );
});

test('a URL that a process with a slower clock has signed is valid', async () => {
  await signed.write(asked(signed.address({ method: 'PUT', key: 'a/slow', md5 })), bytes('hello'));
  const now = Date.now();
  vi.useFakeTimers({ toFake: ['Date'], now: now - 10_000 });
  const short = openSignedBlobs(deps, { validSeconds: 2 });
  const address = asked(short.address({ method: 'GET', key: 'a/slow', md5: null }));
  vi.setSystemTime(now);
  onTestFinished(() => void vi.useRealTimers());
  expect(await text((await signed.read(address).whole()).stream)).toBe('hello');
  vi.setSystemTime(now + 5_000);
  expect(() => signed.read(address)).toThrow('has expired');
});

test('a signed URL is valid only for its blob, method, digest and time', async () => {
  const address = asked(signed.address({ method: 'GET', key: 'a/b', md5: null }));
  const forged: SignedRequest[] = [
    { ...address, key: 'a/c' },
    { ...address, query: { ...address.query, expires: String(Number(address.query.expires) + 1) } },
    { ...address, query: { ...address.query, md5 } },
    { ...address, query: { ...address.query, signature: 'AAAA' } },
    { ...address, query: { ...address.query, signature: [address.query.signature, 'x'] } },
    { ...address, query: {} },
  ];
  for (const each of forged) expect(() => signed.read(each)).toThrow(expect.objectContaining({ kind: 'forbidden' }));
  expect(() => signed.check('PUT', address)).toThrow('not valid');
});

test('a server with another key rejects the URL', async () => {
  const other = openSignedBlobs({ ...deps, secretKey: openSecretKey('s'.repeat(32), root) }, { validSeconds: 60 });
  const address = asked(signed.address({ method: 'GET', key: 'a/b', md5: null }));
  expect(() => other.read(address)).toThrow(expect.objectContaining({ kind: 'forbidden' }));
});
