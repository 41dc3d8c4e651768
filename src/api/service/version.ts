import type * as contract from '../../contract/service/version.ts';
import type { Handler } from '../../http/bind.ts';
import { version } from '../../util/version.ts';

export function readVersion(): Handler<typeof contract.readVersion> {
  return async () => ({ version });
}
