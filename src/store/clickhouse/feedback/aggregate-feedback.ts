import type { Aggregation, Grouping } from '../../../domain/feedback/aggregation.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { SqlParams } from '../query/sql-params.ts';

export type AggregateRow = {
  bucketStartMs: number | null;
  dimensions: string[];
  totalCount: number;
  scoredCount: number;
  tagCounts: Record<string, number>;
  ratingCounts: Record<string, number>;
  ratingSums: Record<string, number>;
};

/**
 * Rows are ordered by bucket, then by dimensions. Empty ones are left out; without buckets and dimensions there is
 * always one row.
 */
export function aggregateFeedback(
  clickhouse: ClickHouse,
  projectId: string,
  aggregation: Aggregation,
): Promise<AggregateRow[]> {
  const params = new SqlParams();
  const { bucketSeconds, groupBy = [] } = aggregation;
  const width = bucketSeconds === null ? null : params.bind('Int64', bucketSeconds * 1000);
  const keys = [...(width ? ['bucketStartMs'] : []), ...(groupBy.length > 0 ? ['dimensions'] : [])];
  const dimensions = groupBy.map((name) => dimensionSql[name]);
  return clickhouse.query<AggregateRow>(
    `SELECT ${width ? 'bucketStartMs' : 'NULL AS bucketStartMs'}, ${groupBy.length > 0 ? 'dimensions' : '[] AS dimensions'},
       count() AS totalCount,
       countIf(notEmpty(scorer_tags) OR notEmpty(scorer_ratings)) AS scoredCount,
       ${countsSql('arrayDistinct(scorer_tags)')} AS tagCounts,
       ${countsSql('mapKeys(scorer_ratings)')} AS ratingCounts,
       sumMap(scorer_ratings) AS ratingSums
     FROM (
       SELECT scorer_tags, scorer_ratings
         ${width ? `, intDiv(toUnixTimestamp64Milli(created_at), ${width}) * ${width} AS bucketStartMs` : ''}
         ${dimensions.length > 0 ? `, [${dimensions.join(', ')}] AS dimensions` : ''}
       FROM feedback FINAL
       WHERE ${conditions(projectId, aggregation, params).join(' AND ')}
     )
     ${keys.length > 0 ? `GROUP BY ${keys.join(', ')} ORDER BY ${keys.join(', ')}` : ''}`,
    params.values,
  );
}

const objectName = (ref: string) => `regexpExtract(${ref}, '/(?:object|op)/([^/:]+):', 1)`;

const dimensionSql: Record<Grouping, string> = {
  scorer_id: objectName('runnable_ref'),
  span_agent_name: 'span_agent_name',
  span_agent_version: 'span_agent_version',
  span_status_code: 'toString(span_status_code)',
};

/** How often each of these strings occurs. */
function countsSql(texts: string): string {
  return `sumMap(CAST((${texts}, arrayMap(t -> 1, ${texts})), 'Map(String, UInt64)'))`;
}

function conditions(projectId: string, aggregation: Aggregation, params: SqlParams): string[] {
  const { feedbackTypes, monitorIds, scorerIds, tags, agentNames, spanTypes } = aggregation;
  const { ratingMin: min, ratingMax: max } = aggregation;
  const rating = "scorer_ratings['_rating_']";
  const found = [
    `project_id = ${params.string(projectId)}`,
    `created_at >= ${params.time(aggregation.afterMs * 1000)}`,
    `created_at < ${params.time(aggregation.beforeMs * 1000)}`,
  ];
  if (feedbackTypes?.length) found.push(anyOf('feedback_type', feedbackTypes.map(asPrefix), params));
  if (tags?.length) found.push(`hasAny(scorer_tags, ${params.strings(tags)})`);
  if (min !== null || max !== null) found.push("mapContains(scorer_ratings, '_rating_')");
  if (min !== null) found.push(`${rating} >= ${params.bind('Float64', min)}`);
  if (max !== null) found.push(`${rating} <= ${params.bind('Float64', max)}`);
  if (monitorIds?.length) found.push(anyOf(objectName('trigger_ref'), monitorIds, params));
  if (scorerIds?.length) found.push(anyOf(objectName('runnable_ref'), scorerIds, params));
  if (agentNames?.length) found.push(`span_agent_name IN ${params.strings(agentNames)}`);
  if (spanTypes?.length) found.push(`splitByChar('/', weave_ref)[-2] IN ${params.strings(spanTypes)}`);
  return found;
}

function asPrefix(type: string): string {
  return type.endsWith('*') ? type : `${type}*`;
}

/** Matches a string that is one of these, or starts with one that ends in `*`. */
function anyOf(sql: string, patterns: string[], params: SqlParams): string {
  const tests = patterns.map((pattern) =>
    pattern.endsWith('*')
      ? `startsWith(${sql}, ${params.string(pattern.replace(/\*+$/, ''))})`
      : `${sql} = ${params.string(pattern)}`,
  );
  return `(${tests.join(' OR ')})`;
}
