import { callsFilterSchema } from '../../contract/calls/filter.ts';
import type { LoopPlan } from '../../contract/loops/loop.ts';
import { validate } from '../../contract/validate.ts';
import type { CallsFilter } from '../../domain/calls/calls-filter.ts';
import { callsSought } from '../../domain/query/calls-sought.ts';
import type { Operation } from '../../domain/query/operation.ts';
import { parsePublishedQuery } from '../../domain/query/parse-query.ts';
import { invalidInput, notFound } from '../../util/failures.ts';
import { parseLossless, stringifyLossless } from '../../util/json/lossless.ts';
import { isObject } from '../../util/json/own-member.ts';
import { parsePlain } from '../../util/json/parse.ts';
import type { Objects } from '../objects/objects.ts';
import type { Owner } from '../owner.ts';

type Sought = { filter: Partial<CallsFilter> | null; query: Operation | null };

/** The calls that a loop collects. */
export type LoopChats = {
  /** @throws Failure for a view that does not exist, and for an invalid condition */
  sought(chats: LoopPlan['chats'], owner: Owner): Promise<Sought>;
};

export function openLoopChats({ objects }: { objects: Pick<Objects, 'list'> }): LoopChats {
  /** The saved view of this name or label, as JSON. */
  async function findView(name: string, { project, caller }: Owner): Promise<string> {
    const views = await objects.list(
      {
        projectId: project.id,
        filter: { baseClasses: ['SavedView'], isLatest: true },
        sortBy: [],
        limit: null,
        offset: null,
      },
      { caller, withValues: true },
    );
    const byLabel = views.filter(({ value }) => labelOf(value) === name);
    const found = views.find(({ objectId }) => objectId === name) ?? (byLabel.length === 1 ? byLabel[0] : undefined);
    if (found?.value != null) return found.value;
    if (byLabel.length > 1)
      throw invalidInput(`Several saved views are called ${name}: give the id of one.`, { param: 'chats' });
    throw notFound(`There is no saved view ${name}.`, { param: 'chats' });
  }

  return {
    async sought({ view, where }, owner) {
      const ofWhere = where === null ? nothing : callsSought(where);
      if (view === null) return ofWhere;
      const ofView = viewSought(await findView(view, owner));
      if (ofView.filter !== null && ofWhere.filter !== null)
        throw invalidInput('chats: the view has a filter, so where can only have a query.', { param: 'chats' });
      return { filter: ofView.filter ?? ofWhere.filter, query: bothOf(ofView.query, ofWhere.query) };
    },
  };
}

const nothing: Sought = { filter: null, query: null };

export function bothOf(a: Operation | null, b: Operation | null): Operation | null {
  return a && b ? { kind: 'and', operands: [a, b] } : (a ?? b);
}

function labelOf(value: string | null): unknown {
  const view: unknown = parsePlain(value ?? 'null');
  return isObject(view) ? view.label : null;
}

function viewSought(text: string): Sought {
  const view = parseLossless(text);
  const definition = view instanceof Map ? view.get('definition') : null;
  if (!(definition instanceof Map)) return nothing;
  const [filter, query] = [definition.get('filter'), definition.get('query')];
  return {
    filter: filter instanceof Map ? filterOf(parsePlain(stringifyLossless(filter))) : null,
    query: query instanceof Map ? parsePublishedQuery(query) : null,
  };
}

/** The SDKs note the class of each nested value. */
function filterOf(value: unknown): Partial<CallsFilter> {
  const fields = Object.entries(value as object).filter(([key]) => !key.startsWith('_'));
  return validate(callsFilterSchema, Object.fromEntries(fields), 'chats.view');
}
