import { spanExplain } from './explain.ts';
import { otelLogs, standardLogs } from './logs.ts';
import { otelMetrics, standardMetrics } from './metrics.ts';
import { agentTraces, otelTraces, standardTraces } from './traces.ts';

/** The endpoints of this group, in the order of the documentation. `api/otel/routes.ts` has a handler for each. */
export const otelEndpoints = {
  otelTraces,
  standardTraces,
  agentTraces,
  otelLogs,
  standardLogs,
  spanExplain,
  otelMetrics,
  standardMetrics,
};
