import { setTimeout } from 'node:timers/promises';
import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { explainS3Error, statusOf } from './s3-errors.ts';

type NewObject = { Bucket: string; Key: string; Body: Uint8Array };

const attemptsMax = 5;
const firstWaitMs = 50;

/**
 * Stores an object under a key that has none. The answer to an attempt may have been lost, so an object that is found may be this one.
 * @returns false if there is one
 */
export async function putNew(client: S3Client, object: NewObject): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.send(new PutObjectCommand({ ...object, IfNoneMatch: '*' }));
      return true;
    } catch (error) {
      const status = statusOf(error);
      if (status === 412 || status === 304) return false;
      // 409: another request is changing the key, and which one succeeds is not known yet.
      if (status !== 409 || attempt === attemptsMax) explainS3Error(error);
      await setTimeout(firstWaitMs * 2 ** attempt * Math.random());
    }
  }
}
