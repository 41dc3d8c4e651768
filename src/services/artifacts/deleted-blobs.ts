import {
  findDeletedBlobs,
  forgetDeletedBlobs,
  listFullBlobs,
  markEmpty,
} from '../../store/postgres/artifacts/deleted-blobs.ts';
import type { Deps } from '../deps.ts';

type Stores = Pick<Deps, 'postgres' | 'blobs'>;

/**
 * The key under which each content is, or is to be uploaded. A key whose blob is being deleted is followed by others: `key`, `key-1`,
 * `key-2`, …
 */
export async function usableKeys(
  { postgres }: Pick<Stores, 'postgres'>,
  contentKeys: string[],
): Promise<Map<string, string>> {
  const usable = new Map(contentKeys.map((key) => [key, key]));
  for (let number = 1, asked = [...usable.keys()]; asked.length > 0; number++) {
    const deleted = await findDeletedBlobs(
      postgres,
      asked.map((key) => usable.get(key)!),
    );
    asked = asked.filter((key) => deleted.has(usable.get(key)!));
    for (const key of asked) usable.set(key, `${key}-${number}`);
  }
  return usable;
}

/** Deletes the bytes of listed blobs. What fails is left to `emptyDeletedBlobs`. */
export async function emptyBlobs({ blobs }: Pick<Stores, 'blobs'>, keys: string[]): Promise<void> {
  await blobs.deleteMany(keys).catch(() => {}); // the blob store is away
}

const keysTogether = 1000;

/**
 * Deletes the bytes of listed blobs again, once no upload to an address that was given out before can be under way: a request
 * may have been killed, the blob store may have been away, or an upload may have come after the deletion. Later still, when no
 * deletion can be under way, the keys can be used again.
 */
export async function emptyDeletedBlobs(
  { postgres, blobs }: Stores,
  { emptyAfterSeconds, forgetAfterSeconds }: { emptyAfterSeconds: number; forgetAfterSeconds: number },
): Promise<void> {
  for (let isMore = true; isMore; ) {
    const keys = await listFullBlobs(postgres, { forSeconds: emptyAfterSeconds, limit: keysTogether });
    await blobs.deleteMany(keys);
    await markEmpty(postgres, keys);
    isMore = keys.length === keysTogether;
  }
  await forgetDeletedBlobs(postgres, forgetAfterSeconds);
}
