import { buffer, text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { Blobs } from '../blobs.ts';

/** What every kind of blob store does. @param open an empty store, one for each test */
export function testBlobs(open: () => Blobs): void {
  test('stores bytes that arrive in pieces', async () => {
    const blobs = open();
    await blobs.put('projects/p/a', pieces('one ', 'two'));
    const found = (await blobs.get('projects/p/a'))!;
    expect(await text(found.stream)).toBe('one two');
    expect(found.sizeBytes).toBe(7);
    expect(await blobs.size('projects/p/a')).toBe(7);
  });

  test('replaces bytes, and stores empty ones', async () => {
    const blobs = open();
    await blobs.put('projects/p/a', Buffer.from('before'));
    await blobs.put('projects/p/a', Buffer.alloc(0));
    expect(await text((await blobs.get('projects/p/a'))!.stream)).toBe('');
    expect(await blobs.size('projects/p/a')).toBe(0);
    await blobs.put('projects/p/a', pieces());
    expect(await blobs.size('projects/p/a')).toBe(0);
  });

  test('bytes that nobody stored are null, and can be deleted', async () => {
    const blobs = open();
    expect(await blobs.get('projects/p/a')).toBeNull();
    expect(await blobs.size('projects/p/a')).toBeNull();
    await blobs.delete('projects/p/a');
    await blobs.put('projects/p/a', Buffer.from('x'));
    await blobs.delete('projects/p/a');
    expect(await blobs.size('projects/p/a')).toBeNull();
  });

  test('deletes many keys, and ignores those without bytes', async () => {
    const blobs = open();
    const keys = Array.from({ length: 5 }, (_, i) => `projects/p/${i}`);
    for (const key of keys) await blobs.put(key, Buffer.from(key));
    await blobs.deleteMany([...keys.slice(1), 'projects/p/unknown']);
    expect(await keysBelow(blobs, '')).toEqual(['projects/p/0']);
    await blobs.deleteMany(['projects/p/0']);
    await blobs.deleteMany([]);
    expect(await keysBelow(blobs, '')).toEqual([]);
  });

  test('reads parts', async () => {
    const blobs = open();
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, i) => i % 251));
    await blobs.put('projects/p/a', bytes);
    for (const [start, end] of [
      [0, 0],
      [0, 299_999],
      [1, 3],
      [65_535, 65_536],
      [70_000, 200_000],
      [299_999, 299_999],
    ] as const) {
      const part = await buffer((await blobs.getRange('projects/p/a', { start, end }))!);
      expect(part.equals(bytes.subarray(start, end + 1))).toBe(true);
    }
    expect(await blobs.getRange('projects/p/b', { start: 0, end: 0 })).toBeNull();
  });

  test('lists the keys below a prefix', async () => {
    const blobs = open();
    for (const key of ['projects/p/a', 'projects/p/b/c', 'projects/pq/d']) await blobs.put(key, Buffer.from(key));
    expect(await keysBelow(blobs, '')).toEqual(['projects/p/a', 'projects/p/b/c', 'projects/pq/d']);
    expect(await keysBelow(blobs, 'projects/p/')).toEqual(['projects/p/a', 'projects/p/b/c']);
    expect(await keysBelow(blobs, 'projects/p')).toEqual(['projects/p/a', 'projects/p/b/c', 'projects/pq/d']);
    expect(await keysBelow(blobs, 'nothing/')).toEqual([]);
  });

  test('lists keys in the order of their bytes, from any place on', async () => {
    const blobs = open();
    const keys = ['A/z', 'a-b/c', 'a.b', 'a/b-c', 'a/b/c', 'a/b/d', 'a/b0', 'a0', 'a=/b', 'a_b', 'b'];
    for (const key of keys.toReversed()) await blobs.put(key, Buffer.from(key));
    expect(await keysBelow(blobs, '')).toEqual(keys);
    for (const after of [...keys, 'a', 'a/', 'a/b', 'a/b/', 'a/b/cc', 'c']) {
      expect(await keysBelow(blobs, '', after)).toEqual(keys.filter((key) => key > after));
    }
    expect(await keysBelow(blobs, 'a/b', 'a/b/c')).toEqual(['a/b/d', 'a/b0']);
  });

  test('stores 40 MB that arrive in pieces, unchanged', async () => {
    const blobs = open();
    const piece = Buffer.alloc(1_000_003, 'heddle');
    await blobs.put('projects/p/large', pieces(...Array.from({ length: 40 }, () => piece)));
    const { stream, sizeBytes } = (await blobs.get('projects/p/large'))!;
    expect(sizeBytes).toBe(40 * piece.length);
    expect((await buffer(stream)).equals(Buffer.concat(Array.from({ length: 40 }, () => piece)))).toBe(true);
  });

  test.each([0, 40])(
    'an upload that fails after %i MB is refused with its own error, and leaves what was there',
    async (megabytes) => {
      const blobs = open();
      await blobs.put('projects/p/a', Buffer.from('before'));
      async function* broken() {
        for (let i = 0; i < megabytes; i++) yield Buffer.alloc(1_000_000);
        throw new Error('the client is gone');
      }
      await expect(blobs.put('projects/p/a', broken())).rejects.toThrow('the client is gone');
      expect(await text((await blobs.get('projects/p/a'))!.stream)).toBe('before');
      expect(await keysBelow(blobs, '')).toEqual(['projects/p/a']);
    },
  );

  test.each(['../a', 'projects//a', 'projects/p/..', '/a', 'a b', ''])('refuses the key %j', async (key) => {
    const blobs = open();
    await expect(blobs.put(key, Buffer.from('x'))).rejects.toThrow('A blob key may only hold');
    await expect(Promise.resolve().then(() => blobs.get(key))).rejects.toThrow('A blob key may only hold');
    await expect(Promise.resolve().then(() => blobs.delete(key))).rejects.toThrow('A blob key may only hold');
    await expect(Promise.resolve().then(() => blobs.deleteMany([key, 'a']))).rejects.toThrow(
      'A blob key may only hold',
    );
  });
}

async function* pieces(...all: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const each of all) yield Buffer.from(each);
}

function keysBelow(blobs: Blobs, prefix: string, after?: string): Promise<string[]> {
  return Array.fromAsync(blobs.list(prefix, { after }));
}
