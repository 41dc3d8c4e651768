import type * as contract from '../../contract/service/health.ts';
import type { Handler } from '../../http/bind.ts';

export function health(): Handler<typeof contract.health> {
  return async () => ({ status: 'ok' });
}
