import type * as contract from '../../contract/service/server-info.ts';
import type { Handler } from '../../http/bind.ts';
import { traceServerVersion } from '../../util/version.ts';

/** No client is too old: a minimum above its version would make the Python SDK stop tracing without an error. */
export function serverInfo(): Handler<typeof contract.serverInfo> {
  return async () => ({ min_required_weave_python_version: '0.0.0', trace_server_version: traceServerVersion });
}
