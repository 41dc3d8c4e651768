import { parseHistoryRow } from '../history.ts';
import { stateOf } from '../state.ts';

/** What filters and orders read of a run. */
export type FilteredRun = {
  name: string;
  displayName: string;
  state: string;
  /** JSON objects. */
  config: string;
  summary: string;
  tags: string[];
  notes: string | null;
  description: string | null;
  group: string | null;
  jobType: string | null;
  host: string | null;
  commit: string | null;
  sweepId: string | null;
  username: string | null;
  createdAt: Date;
  heartbeatAt: Date;
};

/** Reads one field of a run; undefined if the run does not have it. */
export type ReadField = (run: FilteredRun) => unknown;

/** The fields by the names that clients and the W&B page write. */
const fields: Record<string, ReadField> = {
  name: ({ name }) => name,
  displayName: ({ displayName }) => displayName,
  display_name: ({ displayName }) => displayName,
  state: (run) => stateOf(run),
  tags: ({ tags }) => tags,
  notes: ({ notes }) => notes,
  description: ({ description }) => description,
  group: ({ group }) => group,
  jobType: ({ jobType }) => jobType,
  job_type: ({ jobType }) => jobType,
  host: ({ host }) => host,
  commit: ({ commit }) => commit,
  username: ({ username }) => username,
  'user.username': ({ username }) => username,
  createdAt: ({ createdAt }) => createdAt,
  created_at: ({ createdAt }) => createdAt,
  heartbeatAt: ({ heartbeatAt }) => heartbeatAt,
  heartbeat_at: ({ heartbeatAt }) => heartbeatAt,
  updatedAt: ({ heartbeatAt }) => heartbeatAt,
  updated_at: ({ heartbeatAt }) => heartbeatAt,
  duration: durationOf,
  sweep: ({ sweepId }) => sweepId,
};

/** The field of a name such as `state`, `config.lr` or `summary_metrics.eval.loss`; null for a name without a meaning. */
export function fieldOf(name: string): ReadField | null {
  if (Object.hasOwn(fields, name)) return fields[name]!;
  const [root, ...path] = name.split('.');
  if (path.length === 0 || path.includes('')) return null;
  if (root === 'config') return (run) => settingOf(objectOf(run.config), path);
  if (root === 'summary_metrics' || root === 'summaryMetrics' || root === 'summary') {
    return (run) => valueAt(objectOf(run.summary), path);
  }
  return null;
}

export const knownFields = `${Object.keys(fields).join(', ')}, config.KEY and summary_metrics.KEY`;

/** Clients wrap each setting, `{lr: {value: 0.1}}`, and write its path with `value`, without it, or with it at the end. */
function settingOf(config: Record<string, unknown>, path: string[]): unknown {
  for (let count = 1; count <= path.length; count++) {
    const key = path.slice(0, count).join('.');
    const setting = Object.hasOwn(config, key) ? config[key] : undefined;
    if (!isObject(setting)) continue;
    const rest = path.slice(count);
    const inside = valueAt(setting.value, rest);
    if (inside !== undefined) return inside;
    if (rest[0] === 'value') return valueAt(setting.value, rest.slice(1));
    if (rest.at(-1) === 'value') return valueAt(setting.value, rest.slice(0, -1));
  }
  return undefined;
}

/** The value at a path, whose keys may themselves contain dots. */
function valueAt(value: unknown, path: string[]): unknown {
  if (path.length === 0) return value;
  if (!isObject(value)) return undefined;
  for (let count = 1; count <= path.length; count++) {
    const key = path.slice(0, count).join('.');
    if (!Object.hasOwn(value, key)) continue;
    const found = valueAt(value[key], path.slice(count));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** In seconds. */
function durationOf(run: FilteredRun): number {
  const runtime = objectOf(run.summary)._runtime;
  return typeof runtime === 'number' ? runtime : (run.heartbeatAt.getTime() - run.createdAt.getTime()) / 1000;
}

function objectOf(text: string): Record<string, unknown> {
  return parseHistoryRow(text) ?? {};
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
