import type { Context } from '../../context.ts';
import type * as contract from '../../contract/service/metrics.ts';
import type { Handler } from '../../http/bind.ts';

export function metrics({ metrics: numbers }: Pick<Context, 'metrics'>): Handler<typeof contract.metrics> {
  return async () => ({ mediaType: numbers.mediaType, body: await numbers.text() });
}
