import { S3Client } from '@aws-sdk/client-s3';
import type { DeploymentId } from '../../deployment-id.ts';
import type { Blobs } from '../blobs.ts';
import type { DirectBlobs } from '../direct-blobs.ts';
import { bucketDeployment } from './deployment-id.ts';
import { openDirectS3 } from './direct-s3.ts';
import { findAbilities } from './find-abilities.ts';
import { openS3Blobs } from './s3-blobs.ts';
import { describeS3Error, MissingRightError } from './s3-errors.ts';
import type { S3Address } from './s3-url.ts';
import { watchRequests } from './watch.ts';

/** The bucket cannot be used; the message says why. */
export class S3UnusableError extends Error {
  override name = 'S3UnusableError';
}

/** For a bucket that has other credentials than those of the environment. */
export type S3Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string };

export type S3Access = {
  /** Where clients reach the server of the bucket; null if they do not. */
  publicUrl?: string | null;
  /** Null for those of the environment, a profile or the role of the machine. */
  credentials?: S3Credentials | null;
};

export type S3Store = {
  blobs: Blobs;
  /** Null if clients do not reach the bucket. */
  direct: DirectBlobs | null;
  deployment: DeploymentId;
  /** Sends nothing while the bucket is idle and answered last. */
  probe(): Promise<void>;
  latencySeconds(): number | null;
  close(): void;
};

const connectMsMax = 5_000;

/** A request without any progress for this long fails, and is repeated. */
const silenceMsMax = 30_000;
const attemptsMax = 3;

/** Of servers other than AWS, most of which ignore it. */
const serverRegion = 'us-east-1';

/**
 * Opens a bucket and tries it out.
 * @throws S3UnusableError
 */
export async function openS3(
  address: S3Address,
  { publicUrl = null, credentials = null }: S3Access = {},
): Promise<S3Store> {
  const client = s3Client(address, { credentials });
  const watch = watchRequests(client);
  const abilities = await findAbilities(client, address).catch((error) => {
    client.destroy();
    const cause = error instanceof MissingRightError ? error : (error.cause ?? error);
    throw new S3UnusableError(describeS3Error(cause, address.bucket), { cause });
  });
  const blobs = openS3Blobs(client, address, abilities);
  const signer =
    publicUrl === null ? null : s3Client({ ...address, checksums: 'required' }, { endpoint: publicUrl, credentials });
  return {
    blobs,
    direct: signer && openDirectS3({ client, signer, address, blobs }),
    deployment: bucketDeployment({ client, address, abilities, blobs }),
    probe: async () => {
      if (watch.isInDoubt()) await probe(blobs);
    },
    latencySeconds: watch.latencySeconds,
    close() {
      client.destroy();
      signer?.destroy();
    },
  };
}

type Reached = {
  /** Where the server is, if that is another address than the one of this process. */
  endpoint?: string | null;
  credentials?: S3Credentials | null;
};

export function s3Client(
  { region, endpoint, isPathStyle, checksums }: S3Address,
  { endpoint: reachedAt = endpoint, credentials = null }: Reached = {},
): S3Client {
  const calculation = checksums === 'always' ? 'WHEN_SUPPORTED' : 'WHEN_REQUIRED';
  return new S3Client({
    ...(endpoint === null ? {} : { region: serverRegion }),
    ...(reachedAt === null ? {} : { endpoint: reachedAt }),
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
