import { randomUUID } from 'node:crypto';
import { S3Client } from '@aws-sdk/client-s3';
import type { Blobs } from '../blobs.ts';
import { openS3Blobs } from './s3-blobs.ts';
import { describeS3Error } from './s3-errors.ts';
import type { S3Address } from './s3-url.ts';

/** The bucket cannot be used; the message says why. */
export class S3UnusableError extends Error {
  override name = 'S3UnusableError';
}

/** For a bucket that has other credentials than those of the environment. */
export type S3Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string };

export type S3Store = { blobs: Blobs; probe(): Promise<void>; close(): void };

const connectMsMax = 5_000;

/** A request without any progress for this long fails, and is repeated. */
const silenceMsMax = 30_000;
const attemptsMax = 3;

/** Of servers other than AWS, most of which ignore it. */
const serverRegion = 'us-east-1';

/**
 * Opens a bucket with the credentials of the environment, a profile or the role of the machine. Writes, reads and deletes
 * one small object.
 * @throws S3UnusableError
 */
export async function openS3(address: S3Address, credentials: S3Credentials | null = null): Promise<S3Store> {
  const client = s3Client(address, credentials);
  const blobs = openS3Blobs(client, address);
  try {
    await tryOut(blobs);
  } catch (error) {
    client.destroy();
    const cause = (error as Error).cause ?? error;
    throw new S3UnusableError(describeS3Error(cause, address.bucket), { cause });
  }
  return { blobs, probe: () => probe(blobs), close: () => client.destroy() };
}

export function s3Client(
  { region, endpoint, isPathStyle, checksums }: S3Address,
  credentials: S3Credentials | null = null,
): S3Client {
  const calculation = checksums === 'always' ? 'WHEN_SUPPORTED' : 'WHEN_REQUIRED';
  return new S3Client({
    ...(endpoint === null ? {} : { endpoint, region: serverRegion }),
    ...(region === null ? {} : { region }),
    ...(credentials === null ? {} : { credentials }),
    forcePathStyle: isPathStyle,
    requestChecksumCalculation: calculation,
    responseChecksumValidation: calculation,
    maxAttempts: attemptsMax,
    requestHandler: { connectionTimeout: connectMsMax, socketTimeout: silenceMsMax },
  });
}

/** @throws what the bucket or the connection says, for the operator */
async function probe(blobs: Blobs): Promise<void> {
  await blobs.size('heddle-probe').catch((error) => {
    throw error.cause ?? error;
  });
}

async function tryOut(blobs: Blobs): Promise<void> {
  const key = `heddle-probe-${randomUUID()}`;
  await blobs.put(key, Buffer.from('heddle'));
  if ((await blobs.size(key)) !== 6) throw new Error('an object that was written cannot be read');
  await blobs.delete(key);
}
