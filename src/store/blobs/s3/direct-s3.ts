import { createHash } from 'node:crypto';
import {
  CopyObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { checkBlobKey } from '../blob-key.ts';
import type { Blobs } from '../blobs.ts';
import type { DirectBlobs } from '../direct-blobs.ts';
import { explainS3Error, isMissing } from './s3-errors.ts';
import type { S3Address } from './s3-url.ts';

type Bucket = {
  client: S3Client;
  /** Has the address that clients use. It sends nothing. */
  signer: S3Client;
  address: Pick<S3Address, 'bucket' | 'prefix'>;
  blobs: Blobs;
};

/** The uploaded bytes have another digest. */
class OtherBytesError extends Error {}

export function openDirectS3({ client, signer, address: { bucket, prefix }, blobs }: Bucket): DirectBlobs {
  const objectOf = (key: string) => {
    checkBlobKey(key);
    return { Bucket: bucket, Key: prefix + key };
  };

  /** The bytes do not leave the bucket. @returns false if the server does not do this */
  async function copyWithin({ from, to, md5 }: { from: string; to: string; md5: string }): Promise<boolean> {
    const CopySource = encodeURI(`${bucket}/${objectOf(from).Key}`);
    const command = new CopyObjectCommand({ ...objectOf(to), CopySource, CopySourceIfMatch: `"${md5}"` });
    return client.send(command).then(
      () => true,
      () => false,
    );
  }

  async function copyThrough({ from, to, md5 }: { from: string; to: string; md5: string }): Promise<boolean> {
    const found = await blobs.get(from);
    if (found === null) return false;
    try {
      await blobs.put(to, withMd5(found.stream, md5), { sizeBytes: found.sizeBytes });
      return true;
    } catch (error) {
      if (error instanceof OtherBytesError) return false;
      throw error;
    }
  }

  return {
    address(method, key, validSeconds) {
      const command = method === 'GET' ? new GetObjectCommand(objectOf(key)) : new PutObjectCommand(objectOf(key));
      return getSignedUrl(signer, command, { expiresIn: validSeconds });
    },

    async accept(upload) {
      const head = await client.send(new HeadObjectCommand(objectOf(upload.from))).catch((error) => {
        return isMissing(error) ? null : explainS3Error(error);
      });
      if (head === null) return false;
      // The tag of an object that was uploaded at once is its MD5, unless the server encrypts it with a key of a service.
      if (head.ETag === `"${upload.md5}"` && (await copyWithin(upload))) return true;
      return copyThrough(upload);
    },
  };
}

async function* withMd5(bytes: AsyncIterable<Uint8Array>, md5: string): AsyncGenerator<Uint8Array> {
  const sum = createHash('md5');
  for await (const piece of bytes) {
    sum.update(piece);
    yield piece;
  }
  if (sum.digest('hex') !== md5) throw new OtherBytesError('the uploaded bytes have another digest');
}
