import type { Context } from '../../context.ts';
import type * as contract from '../../contract/service/server-info.ts';
import type { Handler } from '../../http/bind.ts';
import { traceServerVersion } from '../../util/version.ts';
import { callerIfKnown, shownStores } from './shown-stores.ts';

/** No client is too old: a minimum above its version would make the Python SDK stop tracing without an error. */
export function serverInfo(
  context: Pick<Context, 'health' | 'identity' | 'storeStates'>,
): Handler<typeof contract.serverInfo> {
  return async ({ raw }) => ({
    min_required_weave_python_version: '0.0.0',
    trace_server_version: traceServerVersion,
    stores: shownStores(context, context.health.problems(), await callerIfKnown(raw, context)),
  });
}
