import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { checkBlobKey } from '../blob-key.ts';
import type { Blobs } from '../blobs.ts';
import { sliceStream } from '../slice-stream.ts';
import type { Abilities } from './abilities.ts';
import { partBytesMin, partSizes } from './part-sizes.ts';
import { explainS3Error, isMissing } from './s3-errors.ts';
import type { S3Address } from './s3-url.ts';

/** The most objects that one request can delete. */
const deletedTogetherMax = 1000;

/**
 * Stores blobs as objects of a bucket. A blob whose bytes fail to arrive leaves nothing: uploads in parts are aborted.
 * @throws Failure (`unavailable`) from every method if the bucket does not answer or refuses
 */
export function openS3Blobs(
  client: S3Client,
  { bucket, prefix }: Pick<S3Address, 'bucket' | 'prefix'>,
  { deletesMany, sendsRanges }: Pick<Abilities, 'deletesMany' | 'sendsRanges'>,
): Blobs {
  const objectOf = (key: string) => {
    checkBlobKey(key);
    return { Bucket: bucket, Key: prefix + key };
  };

  async function deleteOne(key: string): Promise<void> {
    await client.send(new DeleteObjectCommand(objectOf(key))).catch(ignoreMissing); // some servers answer 404
  }

  async function deleteTogether(keys: string[]): Promise<void> {
    const Objects = keys.map((key) => ({ Key: objectOf(key).Key }));
    const request = new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } });
    const { Errors = [] } = await client.send(request).catch(explainS3Error);
    const [failed] = Errors;
    if (failed)
      explainS3Error(new Error(`${Errors.length} objects cannot be deleted: ${failed.Code} ${failed.Message}`));
  }

  return {
    async put(key, bytes, { sizeBytes } = {}) {
      const object = objectOf(key);
      if (bytes instanceof Uint8Array && bytes.length <= partBytesMin) {
        await client.send(new PutObjectCommand({ ...object, Body: bytes })).catch(explainS3Error);
        return;
      }
      const source = new Source(bytes);
      const params = { ...object, Body: source.stream };
      const sizes = partSizes(bytes instanceof Uint8Array ? bytes.length : sizeBytes);
      const upload = new Upload({ client, params, partSize: sizes.partBytes, queueSize: sizes.partsInFlight });
      await upload.done().catch((error) => {
        throw source.error ?? explainedBy(error);
      });
    },
    async get(key) {
      const found = await client.send(new GetObjectCommand(objectOf(key))).catch(ignoreMissing);
      return found && { stream: found.Body as Readable, sizeBytes: found.ContentLength ?? 0 };
    },
    async getRange(key, range) {
      const Range = sendsRanges ? `bytes=${range.start}-${range.end}` : undefined;
      const found = await client.send(new GetObjectCommand({ ...objectOf(key), Range })).catch(ignoreMissing);
      if (!found) return null;
      return sendsRanges ? (found.Body as Readable) : sliceStream(found.Body as Readable, range);
    },
    async size(key) {
      const found = await client.send(new HeadObjectCommand(objectOf(key))).catch(ignoreMissing);
      return found && (found.ContentLength ?? 0);
    },
    async *list(below, { after } = {}) {
      const StartAfter = after && prefix + after;
      const pages = paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix + below, StartAfter });
      try {
        for await (const { Contents = [] } of pages) {
          for (const { Key } of Contents) yield Key!.slice(prefix.length);
        }
      } catch (error) {
        explainS3Error(error);
      }
    },
    delete: deleteOne,
    async deleteMany(keys) {
      if (deletesMany && keys.length > 1) {
        for (const some of chunksOf(keys, deletedTogetherMax)) await deleteTogether(some);
      } else {
        for (const key of keys) await deleteOne(key);
      }
    },
  };
}

function* chunksOf<Element>(all: Element[], length: number): Generator<Element[]> {
  for (let start = 0; start < all.length; start += length) yield all.slice(start, start + length);
}

/** Bytes that arrive, and the error with which they ended: it is the sender's, not the bucket's. */
class Source {
  readonly stream: Readable;
  error: unknown;

  constructor(bytes: Uint8Array | AsyncIterable<Uint8Array>) {
    this.stream = bytes instanceof Uint8Array ? Readable.from([bytes]) : Readable.from(this.#watched(bytes));
  }

  async *#watched(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* bytes;
    } catch (error) {
      this.error = error;
      throw error;
    }
  }
}

function ignoreMissing(error: unknown): null {
  return isMissing(error) ? null : explainS3Error(error);
}

function explainedBy(error: unknown): unknown {
  try {
    explainS3Error(error);
  } catch (explained) {
    return explained;
  }
}
