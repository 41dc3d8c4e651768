import type { Context } from '../../context.ts';
import { otelEndpoints } from '../../contract/otel/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { spanExplain } from './explain.ts';
import { otelLogs, standardLogs } from './logs.ts';
import { otelMetrics, standardMetrics } from './metrics.ts';
import { agentTraces, otelTraces, standardTraces } from './traces.ts';

export function otelRoutes(context: Context): Route[] {
  return routesOf(otelEndpoints, {
    otelTraces: otelTraces(context),
    standardTraces: standardTraces(context),
    agentTraces: agentTraces(context),
    otelLogs: otelLogs(context),
    standardLogs: standardLogs(context),
    spanExplain: spanExplain(context),
    otelMetrics: otelMetrics(),
    standardMetrics: standardMetrics(),
  });
}
