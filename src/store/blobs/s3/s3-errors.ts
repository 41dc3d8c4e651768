import { S3ServiceException } from '@aws-sdk/client-s3';
import { Failure } from '../../../util/failures.ts';

export function isMissing(error: unknown): boolean {
  return error instanceof S3ServiceException && ['NoSuchKey', 'NotFound'].includes(error.name);
}

/**
 * Says what a client can do about an error of the bucket; the log has its cause.
 * @throws Failure, always
 */
export function explainS3Error(error: unknown): never {
  throw new Failure(
    'unavailable',
    'The store of files does not answer at the moment. Try again.',
    {},
    { cause: error },
  );
}

/** What is wrong with a bucket, for whoever starts the server. */
export function describeS3Error(error: unknown, bucket: string): string {
  const { name, code, message, $metadata } = error as Partial<S3ServiceException> & { code?: string };
  switch ($metadata?.httpStatusCode) {
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
