import { queryOptions } from '@tanstack/react-query';
import { isNumber, recordOf } from '../format/json.ts';
import type { CallsBody } from './calls.ts';
import { ask } from './client.ts';
import { orMissing } from './missing.ts';

export type CallsFilter = NonNullable<CallsBody['filter']>;
export type ViewColumn = { path?: (string | number)[] | null; label?: string | null };

/** What the SDKs store in a `SavedView`. They ignore `time_range`, for which they have no field. */
export type ViewDefinition = {
  filter?: CallsFilter | null;
  query?: { $expr?: unknown } | null;
  cols?: Record<string, boolean> | null;
  columns?: ViewColumn[] | null;
  sort_by?: { field: string; direction: 'asc' | 'desc' }[] | null;
  time_range?: string | null;
};

/** `name` is the id of the object, by which addresses name the view; `label` is what users call it. */
export type SavedView = { name: string; label: string; definition: ViewDefinition };

/** The saved views of calls, by their labels. */
export function savedViewsQuery(projectId: string) {
  return queryOptions({
    queryKey: ['objects', projectId, 'saved-views'],
    queryFn: async ({ signal }): Promise<SavedView[]> => {
      const filter = { base_object_classes: ['SavedView'], latest_only: true };
      const body = { project_id: projectId, filter };
      const { objs } = await orMissing(ask('POST /objs/query', { body }, { signal }), { objs: [] });
      return objs
        .filter(({ val }) => recordOf(val).view_type === 'traces')
        .map(({ object_id, val }) => viewOf(object_id, val))
        .sort((a, b) => a.label.localeCompare(b.label));
    },
    staleTime: 30_000,
  });
}

/** Publishes a new version of the view. */
export async function saveView(projectId: string, { name, label, definition }: SavedView): Promise<void> {
  const classes = { _type: 'SavedView', _class_name: 'SavedView', _bases: ['BaseObject', 'BaseModel'] };
  const val = { ...classes, name: null, description: null, view_type: 'traces', label, definition };
  await ask('POST /obj/create', { body: { obj: { project_id: projectId, object_id: name, val } } });
}

function viewOf(name: string, val: unknown): SavedView {
  const { label, definition } = recordOf(withoutClasses(val));
  return {
    name,
    label: typeof label === 'string' && label !== '' ? label : name,
    definition: recordOf(definition) as ViewDefinition, // written by the SDKs or by `saveView`
  };
}

/** The SDKs note the class of each nested value. */
function withoutClasses(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutClasses);
  if (typeof value !== 'object' || value === null || isNumber(value)) return value;
  const entries = Object.entries(value).filter(([key]) => !classKeys.has(key));
  return Object.fromEntries(entries.map(([key, member]) => [key, withoutClasses(member)]));
}

const classKeys = new Set(['_type', '_class_name', '_bases']);
