import { createHash, hash } from 'node:crypto';
import { pipeline, Readable, Transform } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { digestOfHash } from '../../domain/digest/digest.ts';
import type { Blobs } from './blobs.ts';
import { DamagedBlobError } from './damaged-blob-error.ts';
import { digestRule } from './digest-rule.ts';

/** What the bytes of a blob must have: one of these digests. */
type Expected = { algorithm: 'sha256' | 'md5'; digests: string[] };

/** Bytes up to this size are checked in memory, so that a request can still be answered with an error. */
const bytesInMemoryMax = 1024 * 1024;

/** Below it are the digests of blobs whose keys do not have them. */
export const digestsPrefix = 'digests/';

/** How many digests of earlier bytes are kept: those of a put that a crash interrupts stay valid. */
const earlierDigestsMax = 3;

/**
 * Compares the bytes of whole blobs with their digests as they are read. Small blobs are checked before `get` resolves; the
 * streams of larger ones fail with a `DamagedBlobError` before their last bytes. Blobs of earlier versions without a
 * digest are not checked.
 */
export function verifiedBlobs(blobs: Blobs): Blobs {
  async function storedDigests(key: string): Promise<string[]> {
    const found = await blobs.get(digestsPrefix + key);
    return found ? (await text(found.stream)).split('\n') : [];
  }

  async function expectedOf(key: string): Promise<Expected | null> {
    const rule = digestRule(key);
    if (rule.kind === 'none') return null;
    if (rule.kind === 'inKey') return { algorithm: rule.algorithm, digests: [rule.digest] };
    const digests = await storedDigests(key);
    return digests.length === 0 ? null : { algorithm: 'sha256', digests };
  }

  /** The digest is stored before its bytes are visible, and stays beside those of the bytes that are replaced. */
  async function putWithDigest(key: string, bytes: Parameters<Blobs['put']>[1], options: Parameters<Blobs['put']>[2]) {
    const earlier = await storedDigests(key);
    const store = (digest: string) => {
      const digests = [digest, ...earlier.filter((each) => each !== digest).slice(0, earlierDigestsMax)];
      return blobs.put(digestsPrefix + key, Buffer.from(digests.join('\n')));
    };
    if (!(bytes instanceof Uint8Array)) return blobs.put(key, withDigest(bytes, store), options);
    await store(digestOfHash(hash('sha256', bytes, 'base64url')));
    await blobs.put(key, bytes, options);
  }

  return {
    ...blobs,

    async put(key, bytes, options) {
      if (digestRule(key).kind === 'beside') await putWithDigest(key, bytes, options);
      else await blobs.put(key, bytes, options);
    },

    async get(key) {
      const found = await blobs.get(key);
      if (found === null) return null;
      found.stream.on('error', () => {}); // whoever reads it later gets its error
      try {
        const expected = await expectedOf(key); // read after the bytes are opened, since a put stores it first
        return expected === null ? found : await checked(key, found, expected);
      } catch (error) {
        found.stream.destroy();
        throw error;
      }
    },

    async *list(prefix, options) {
      for await (const key of blobs.list(prefix, options)) if (!key.startsWith(digestsPrefix)) yield key;
    },

    delete: (key) => (digestRule(key).kind === 'beside' ? blobs.deleteMany(withDigestKeys([key])) : blobs.delete(key)),
    deleteMany: (keys) => blobs.deleteMany(withDigestKeys(keys)),
  };
}

async function checked(
  key: string,
  { stream, sizeBytes }: { stream: Readable; sizeBytes: number },
  expected: Expected,
): Promise<{ stream: Readable; sizeBytes: number }> {
  if (sizeBytes > bytesInMemoryMax) return { stream: pipeline(stream, checking(key, expected), () => {}), sizeBytes };
  const bytes = await buffer(stream);
  requireDigest(key, expected, hash(expected.algorithm, bytes, 'buffer'));
  return { stream: Readable.from([bytes], { objectMode: false }), sizeBytes: bytes.length };
}

/** Passes bytes on, and keeps the last of them back until all are checked. */
function checking(key: string, expected: Expected): Transform {
  const sum = createHash(expected.algorithm);
  let last: Buffer | undefined;
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      sum.update(piece);
      const before = last;
      last = piece;
      done(null, before);
    },
    flush(done) {
      try {
        requireDigest(key, expected, sum.digest());
        done(null, last);
      } catch (error) {
        done(error as Error);
      }
    },
  });
}

function requireDigest(key: string, { algorithm, digests }: Expected, sum: Buffer): void {
  const found = algorithm === 'md5' ? sum.toString('hex') : digestOfHash(sum.toString('base64url'));
  if (digests.includes(found)) return;
  throw new DamagedBlobError(key, `its bytes have the digest ${found}, not ${digests[0]}`);
}

async function* withDigest(
  bytes: AsyncIterable<Uint8Array>,
  store: (digest: string) => Promise<void>,
): AsyncGenerator<Uint8Array> {
  const sum = createHash('sha256');
  for await (const piece of bytes) {
    sum.update(piece);
    yield piece;
  }
  await store(digestOfHash(sum.digest('base64url')));
}

function withDigestKeys(keys: string[]): string[] {
  return keys.flatMap((key) => (digestRule(key).kind === 'beside' ? [key, digestsPrefix + key] : [key]));
}
