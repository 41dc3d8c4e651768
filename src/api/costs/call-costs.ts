import type { Context } from '../../context.ts';
import type { ProjectId } from '../../contract/ids.ts';
import type { WeaveExtras } from '../../domain/calls/call-json.ts';
import type { FoundCall } from '../../domain/calls/found-call.ts';
import { costsJson } from '../../domain/prices/costs-json.ts';
import { projectPrices } from '../../services/costs/project-prices.ts';

type Body = { project_id: string; include_costs: boolean | null };

/** Prices calls that were read with their usage; tells no costs when none are wanted. */
export async function openCosts(
  context: Context,
  projectId: ProjectId,
  body: Body,
): Promise<(call: FoundCall) => Pick<WeaveExtras, 'costs'>> {
  if (!body.include_costs) return () => ({});
  const book = await projectPrices(context, projectId);
  return (call) => {
    const costs = costsJson(call, book, body.project_id);
    return costs === undefined ? {} : { costs };
  };
}
