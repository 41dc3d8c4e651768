import type { StatsGrouping } from '../../../domain/stats/metrics.ts';
import { opNameSql } from '../calls/sql/call-field-sql.ts';
import type { SqlParams } from '../query/sql-params.ts';

/** The groups that calls are measured in. */
export type StatsGroups = { by: StatsGrouping; names: string[] };

/** The group of a call; of models it needs `modelsJoinSql`, or the models of usage. */
export const groupSql: Record<StatsGrouping, string> = {
  op: `multiIf(${opNameSql}, op_name)`,
  user: 'wb_user_id',
  model: 'model',
};

/** Makes a row of each model that a call reports, and one of a call without any. */
export function modelsJoinSql(by: StatsGrouping | undefined): string {
  return by === 'model' ? 'LEFT ARRAY JOIN usage.model AS model' : '';
}

/** What a statement about groups adds to its columns, its conditions and its keys; nothing without groups. */
export function groupedSql(groups: StatsGroups | null, params: SqlParams) {
  if (groups === null) return { columns: [], conditions: [], keys: [] };
  const { by, names } = groups;
  return {
    columns: [`${groupSql[by]} AS callGroup`],
    conditions: [`${groupSql[by]} IN ${params.strings(names)}`],
    keys: ['callGroup'],
  };
}
