import type { FeedbackWire } from '../../contract/feedback/feedback.ts';
import { newId, type ProjectId } from '../../contract/ids.ts';
import { type Aggregation, checkAggregation } from '../../domain/feedback/aggregation.ts';
import type { FeedbackRow } from '../../domain/feedback/feedback-row.ts';
import { payloadPaths } from '../../domain/feedback/payload-paths.ts';
import type { Operand, Operation } from '../../domain/query/operation.ts';
import { checkPage } from '../../domain/query/page.ts';
import type { Caller } from '../../identity/identity.ts';
import { type AggregateRow, aggregateFeedback } from '../../store/clickhouse/feedback/aggregate-feedback.ts';
import {
  type FeedbackQuery,
  type FoundFeedback,
  queryFeedback,
} from '../../store/clickhouse/feedback/query-feedback.ts';
import { samplePayloads } from '../../store/clickhouse/feedback/sample-payloads.ts';
import { insertFeedback, purgeFeedback, replaceFeedback } from '../../store/clickhouse/feedback/write-feedback.ts';
import { parsePlain } from '../../util/json/parse.ts';
import type { Deps } from '../deps.ts';
import type { Project } from '../owner.ts';
import { type FeedbackStats, type FeedbackStatsQuery, measureFeedback } from './feedback-stats.ts';
import { type NewFeedback, prepareFeedback } from './prepare-feedback.ts';

type Window = Parameters<typeof samplePayloads>[1];

/** Operations on the feedback of a project. */
export type Feedback = {
  /**
   * Stores feedback, all of it or none; each item names its project, which is created if it does not exist.
   * @param makeId makes the ids of items that have none
   * @throws Failure for the first invalid item
   */
  add(caller: Caller, items: NewFeedback[], makeId?: () => string): Promise<FeedbackRow[]>;
  /** Replaces feedback of the same project. */
  replace(caller: Caller, id: string, by: FeedbackWire, makeId?: () => string): Promise<FeedbackRow>;
  /** Ignores unknown ids. */
  purge(projectId: ProjectId, ids: string[]): Promise<void>;
  /** Which of these ids are of feedback in the project. */
  known(project: Project, ids: string[]): Promise<Set<string>>;
  /** @throws Failure for an invalid field, query or page */
  query(query: FeedbackQuery): Promise<FoundFeedback>;
  /** Counts and values of payloads, in buckets of time. */
  stats(query: FeedbackStatsQuery): Promise<FeedbackStats>;
  /** Counts of scorers' tags and ratings, by time and by target. @throws Failure */
  aggregate(projectId: ProjectId, aggregation: Aggregation): Promise<AggregateRow[]>;
  /** The paths in payloads that have values, found in a sample. */
  payloadPaths(window: Window): Promise<ReturnType<typeof payloadPaths>>;
};

export function openFeedback(
  deps: Pick<Deps, 'clickhouse' | 'postgres' | 'inserter' | 'identity' | 'peers'>,
): Feedback {
  const { clickhouse } = deps;
  return {
    async add(caller, items, makeId = newId) {
      const rows = await prepareFeedback(deps, caller, items, makeId);
      const isReused = (_: FeedbackRow, i: number) => items[i]!.id !== null;
      await insertFeedback(deps, rows, rows.filter(isReused));
      return rows;
    },

    async replace(caller, id, by, makeId = newId) {
      const [row] = await prepareFeedback(deps, caller, [by], makeId);
      await replaceFeedback(deps, { projectId: row!.project_id, ids: [id] }, row!);
      return row!;
    },

    purge: (projectId, ids) => purgeFeedback(deps, { projectId, ids }),

    async known({ id: projectId, name: projectName }, ids) {
      const list = [...new Set(ids)].map((value): Operand => ({ kind: 'literal', literal: { type: 'string', value } }));
      const query: Operation = { kind: 'in', operand: { kind: 'field', path: 'id' }, list };
      const all = { fields: ['id'], sortBy: [], limit: null, offset: null };
      const { result } = await queryFeedback(clickhouse, { projectId, projectName, query, ...all });
      return new Set(result.map((row) => parsePlain(row).id));
    },

    async query(query) {
      checkPage(query);
      return queryFeedback(clickhouse, query);
    },

    stats: (query) => measureFeedback(clickhouse, query),

    async aggregate(projectId, aggregation) {
      checkAggregation(aggregation);
      return aggregateFeedback(clickhouse, projectId, aggregation);
    },

    async payloadPaths(window) {
      return payloadPaths(await samplePayloads(clickhouse, window));
    },
  };
}
