import type { S3Client } from '@aws-sdk/client-s3';
import { openLatency } from '../../latency.ts';
import { isOutage } from './s3-errors.ts';

/** What the requests that are sent anyway say about a bucket. */
export type Watch = {
  /** Whether a request got no answer lately. If not, an idle bucket need not be asked: each request costs money. */
  isInDoubt(): boolean;
  /** Of requests that do not carry bytes of objects. */
  latencySeconds(): number | null;
};

/** A request that takes longer may be waiting for a server that is gone. */
const silentMs = 2_000;

const uploads = new Set(['PutObjectCommand', 'UploadPartCommand']);

export function watchRequests(client: S3Client): Watch {
  const latency = openLatency();
  const underWay = new Set<{ since: number }>();
  let isLost = false;
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const one = { since: performance.now() };
        underWay.add(one);
        try {
          const send = () => next(args);
          const answer = await (uploads.has(commandName ?? '') ? send() : latency.measure(send));
          isLost = false;
          return answer;
        } catch (error) {
          isLost = isOutage(error);
          throw error;
        } finally {
          underWay.delete(one);
        }
      },
    { step: 'initialize', name: 'heddleWatch' },
  );
  return {
    isInDoubt() {
      const [oldest] = underWay;
      return isLost || (oldest !== undefined && performance.now() - oldest.since > silentMs);
    },
    latencySeconds: latency.seconds,
  };
}
