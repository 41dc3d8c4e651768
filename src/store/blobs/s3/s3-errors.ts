import { S3ServiceException } from '@aws-sdk/client-s3';
import { Failure } from '../../../util/failures.ts';

export function isMissing(error: unknown): boolean {
  return error instanceof S3ServiceException && ['NoSuchKey', 'NotFound'].includes(error.name);
}

/** The status of the answer; undefined if there was none. */
export function statusOf(error: unknown): number | undefined {
  return (error as Partial<S3ServiceException>).$metadata?.httpStatusCode;
}

/** Whether a server is away or failed, so that the same request may succeed later. 501 says that it never will. */
export function isOutage(error: unknown): boolean {
  const cause = error instanceof Failure ? error.cause : error;
  const status = statusOf(cause);
  if (status !== undefined) return (status >= 500 && status !== 501) || status === 429;
  return typeof (cause as { code?: unknown }).code === 'string' || (cause as Error).name === 'TimeoutError';
}

/** The credentials are right, but may not do something that heddle needs. */
export class MissingRightError extends Error {
  /** Such as `write objects (s3:PutObject)`. */
  readonly right: string;

  constructor(right: string, cause: unknown) {
    super(`the credentials may not ${right}`, { cause });
    this.right = right;
  }
}

/** Whether the credentials are accepted, but not for this request. */
export function isForbidden(error: unknown): boolean {
  return statusOf(error) === 403 && !wrongCredentials.has((error as Error).name);
}

const wrongCredentials = new Set([
  'AuthorizationHeaderMalformed',
  'ExpiredToken',
  'InvalidAccessKeyId',
  'InvalidSecurity',
  'InvalidToken',
  'NotSignedUp',
  'RequestTimeTooSkewed',
  'SignatureDoesNotMatch',
]);

/**
 * Says what a client can do about an error of the bucket; the log has its cause.
 * @throws Failure, always
 */
export function explainS3Error(error: unknown): never {
  if (isFull(error)) throw new Failure('noSpace', 'The store of files is full.', {}, { cause: error });
  throw new Failure(
    'unavailable',
    'The store of files does not answer at the moment. Try again.',
    {},
    { cause: error },
  );
}

/** Whether there is no room: on the disks of the server, or below a limit that its administrator has set. */
function isFull(error: unknown): boolean {
  return statusOf(error) === 507 || (error instanceof Error && fullNames.test(error.name));
}

/** `XMinioStorageFull`, `XMinioAdminBucketQuotaExceeded`, `QuotaExceeded` of Ceph, `InsufficientStorage`, … */
const fullNames = /StorageFull|QuotaExceeded|InsufficientStorage|InsufficientCapacity|OverQuota/;

/** What is wrong with a bucket, for whoever starts the server. */
export function describeS3Error(error: unknown, bucket: string): string {
  if (error instanceof MissingRightError) {
    return (
      `The bucket ${bucket} does not let these credentials ${error.right}. Give them all the rights in docs/scaling.md: to read is ` +
      'not enough.'
    );
  }
  const { name, code, message } = error as Partial<S3ServiceException> & { code?: string };
  switch (statusOf(error)) {
    case 404:
      return `There is no bucket ${bucket}. Create it, or check HEDDLE_BLOBS_URL.`;
    case 403:
      return `The bucket ${bucket} refuses the credentials (${name}). Check them, and their rights (docs/scaling.md).`;
    case 301:
    case 307:
      return `The bucket ${bucket} is in another region. Name it in HEDDLE_BLOBS_URL: ?region=….`;
  }
  if (name === 'CredentialsProviderError') {
    return 'There are no AWS credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the machine a role.';
  }
  return `The bucket ${bucket} cannot be used: ${message || code || name}. Check HEDDLE_BLOBS_URL, and whether its server runs.`;
}
