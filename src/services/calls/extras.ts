import type { WeaveExtras } from '../../domain/calls/call-json.ts';
import type { FoundCall } from '../../domain/calls/found-call.ts';
import { costsJson } from '../../domain/prices/costs-json.ts';
import { feedbackOfCalls } from '../../store/clickhouse/feedback/feedback-of-calls.ts';
import { projectPrices } from '../costs/project-prices.ts';
import type { Deps } from '../deps.ts';
import type { Project } from '../owner.ts';
import type { AnsweredCall, MoreOfCalls } from './answered-call.ts';

type Extras = Pick<MoreOfCalls, 'includeCosts' | 'includeFeedback' | 'includeUsernames'>;

/**
 * Adds requested data of other rows to pages of calls. Prices are read once, before the first page; users once each;
 * feedback in one query per page.
 */
export async function openExtras(
  deps: Pick<Deps, 'clickhouse' | 'postgres' | 'identity'>,
  project: Project,
  wanted: Extras,
): Promise<(calls: FoundCall[]) => Promise<AnsweredCall[]>> {
  const costs = wanted.includeCosts ? await openCosts(deps, project) : () => ({});
  const usernames = openUsernames(deps);
  return async (calls) => {
    const names = wanted.includeUsernames ? await usernames(calls.map((call) => call.wbUserId)) : null;
    const feedback = wanted.includeFeedback ? await feedbackOn(deps, project, calls) : () => ({});
    return calls.map((call) => {
      const extras: WeaveExtras = { ...costs(call), ...feedback(call) };
      return { call, extras, username: names?.get(call.wbUserId) };
    });
  };
}

type ExtraOf = (call: FoundCall) => WeaveExtras;

async function openCosts(deps: Pick<Deps, 'postgres'>, project: Project): Promise<ExtraOf> {
  const book = await projectPrices(deps, project.id);
  return (call) => costsJson(call, book, project.name);
}

async function feedbackOn(
  { clickhouse }: Pick<Deps, 'clickhouse'>,
  { id: projectId, name: projectName }: Project,
  calls: FoundCall[],
): Promise<ExtraOf> {
  const ids = calls.map(({ id }) => id);
  const found = await feedbackOfCalls(clickhouse, { projectId, projectName, ids });
  return ({ id }) => ({ feedback: found.get(id) ?? '[]' });
}

function openUsernames({ identity }: Pick<Deps, 'identity'>) {
  const known = new Map<string, string>();
  return async (userIds: string[]): Promise<Map<string, string>> => {
    const missing = [...new Set(userIds)].filter((id) => id !== '' && !known.has(id));
    for (const [id, name] of await identity.usernames(missing)) known.set(id, name);
    return known;
  };
}
