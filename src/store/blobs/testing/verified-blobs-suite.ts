import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { bytesDigest } from '../../../domain/digest/digest.ts';
import type { Blobs } from '../blobs.ts';
import { DamagedBlobError } from '../damaged-blob-error.ts';
import { verifiedBlobs } from '../verified-blobs.ts';

/** What every kind of blob store does with digests. @param open an empty store, one for each test */
export function testVerifiedBlobs(open: () => Blobs): void {
  describe('with digests', () => {
    const small = Buffer.from('twelve bytes');
    const large = Buffer.alloc(3_000_000, 'heddle');
    const keyOf = {
      'a SHA-256 in the key': (bytes: Buffer) => `projects/p/files/${bytesDigest(bytes)}`,
      'an MD5 in the key': (bytes: Buffer) => `projects/p/artifact-files/${hash('md5', bytes)}`,
      'a digest beside it': () => 'projects/p/checkpoints/c/weights',
    };
    for (const [name, key] of Object.entries(keyOf)) {
      test(`small bytes with ${name} are read, and refused when they have changed`, async () => {
        const stored = open();
        const blobs = verifiedBlobs(stored);
        await blobs.put(key(small), small);
        expect(await text((await blobs.get(key(small)))!.stream)).toBe('twelve bytes');
        await stored.put(key(small), Buffer.from('other bytes!'));
        await expect(blobs.get(key(small))).rejects.toThrow(DamagedBlobError);
      });

      test(`the stream of large bytes with ${name} fails before its end when they have changed`, async () => {
        const stored = open();
        const blobs = verifiedBlobs(stored);
        await blobs.put(key(large), pieces(large));
        expect((await buffer((await blobs.get(key(large)))!.stream)).equals(large)).toBe(true);
        const changed = Buffer.from(large);
        changed[7] = 0;
        await stored.put(key(large), changed);
        const { stream, sizeBytes } = (await blobs.get(key(large)))!;
        const { bytes, error } = await readToItsEnd(stream);
        expect(error).toBeInstanceOf(DamagedBlobError);
        expect(bytes).toBeLessThan(sizeBytes);
      });
    }

    test('bytes that are cut are refused', async () => {
      const stored = open();
      const blobs = verifiedBlobs(stored);
      await blobs.put('projects/p/uploads/u', large);
      await stored.put('projects/p/uploads/u', large.subarray(0, 2_000_000));
      const { error } = await readToItsEnd((await blobs.get('projects/p/uploads/u'))!.stream);
      expect(error).toBeInstanceOf(DamagedBlobError);
    });

    test('files of runs change, and blobs without a digest are read', async () => {
      const stored = open();
      const blobs = verifiedBlobs(stored);
      for (const key of ['projects/p/run-files/r/f', 'heddle-deployment', 'unverified/p/a/b']) {
        await blobs.put(key, small);
        expect(await keysBelow(stored, 'digests/')).toEqual([]);
        await stored.put(key, Buffer.from('other'));
        expect(await text((await blobs.get(key))!.stream)).toBe('other');
      }
      await stored.put('projects/p/uploads/earlier', small);
      expect(await text((await blobs.get('projects/p/uploads/earlier'))!.stream)).toBe('twelve bytes');
    });

    test('a put that ends after its digest was stored leaves the earlier bytes readable', async () => {
      const stored = open();
      const key = 'projects/p/training-jobs/j/paused/made.json';
      await verifiedBlobs(stored).put(key, small);
      const broken = verifiedBlobs({
        ...stored,
        async put(at, bytes) {
          if (at === key) throw new Error('killed');
          await stored.put(at, bytes);
        },
      });
      for (let i = 0; i < 3; i++) await expect(broken.put(key, Buffer.from(`${i}`))).rejects.toThrow('killed');
      expect(await text((await verifiedBlobs(stored).get(key))!.stream)).toBe('twelve bytes');
    });

    test('lists no digests, and deletes them with their blobs', async () => {
      const stored = open();
      const blobs = verifiedBlobs(stored);
      const keys = ['a', 'b', 'c'].map((name) => `projects/p/uploads/${name}`);
      for (const key of keys) await blobs.put(key, small);
      expect(await keysBelow(blobs, '')).toEqual(keys);
      expect((await keysBelow(stored, 'digests/')).length).toBe(3);
      await blobs.delete(keys[0]!);
      await blobs.deleteMany(keys.slice(1));
      expect(await keysBelow(stored, '')).toEqual([]);
    });
  });
}

async function* pieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += 100_000) yield bytes.subarray(start, start + 100_000);
}

async function readToItsEnd(stream: Readable): Promise<{ bytes: number; error: unknown }> {
  let bytes = 0;
  try {
    for await (const piece of stream) bytes += piece.length;
    return { bytes, error: null };
  } catch (error) {
    return { bytes, error };
  }
}

function keysBelow(blobs: Blobs, prefix: string): Promise<string[]> {
  return Array.fromAsync(blobs.list(prefix));
}
