import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { checkBlobKey } from '../blob-key.ts';
import type { Blobs } from '../blobs.ts';
import { explainS3Error, isMissing } from './s3-errors.ts';
import type { S3Address } from './s3-url.ts';

/** Larger blobs are uploaded in parts of this size. */
const partBytes = 16 * 1024 * 1024;

/** How many parts of one upload are in memory. */
const partsInFlight = 2;

/**
 * Stores blobs as objects of a bucket. A blob whose bytes fail to arrive leaves nothing: uploads in parts are aborted.
 * @throws Failure (`unavailable`) from every method if the bucket does not answer or refuses
 */
export function openS3Blobs(client: S3Client, { bucket, prefix }: Pick<S3Address, 'bucket' | 'prefix'>): Blobs {
  const objectOf = (key: string) => {
    checkBlobKey(key);
    return { Bucket: bucket, Key: prefix + key };
  };

  return {
    async put(key, bytes) {
      const object = objectOf(key);
      if (bytes instanceof Uint8Array && bytes.length <= partBytes) {
        await client.send(new PutObjectCommand({ ...object, Body: bytes })).catch(explainS3Error);
        return;
      }
      const source = new Source(bytes);
      const params = { ...object, Body: source.stream };
      const upload = new Upload({ client, params, partSize: partBytes, queueSize: partsInFlight });
      await upload.done().catch((error) => {
        throw source.error ?? explainedBy(error);
      });
    },
    async get(key) {
      const found = await client.send(new GetObjectCommand(objectOf(key))).catch(ignoreMissing);
      return found && { stream: found.Body as Readable, sizeBytes: found.ContentLength ?? 0 };
    },
    async size(key) {
      const found = await client.send(new HeadObjectCommand(objectOf(key))).catch(ignoreMissing);
      return found && (found.ContentLength ?? 0);
    },
    async *list(below) {
      const pages = paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix + below });
      try {
        for await (const { Contents = [] } of pages) {
          for (const { Key } of Contents) yield Key!.slice(prefix.length);
        }
      } catch (error) {
        explainS3Error(error);
      }
    },
    async delete(key) {
      await client.send(new DeleteObjectCommand(objectOf(key))).catch(explainS3Error);
    },
  };
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
