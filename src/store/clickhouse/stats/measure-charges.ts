import type { PriceBoundaries } from '../../../domain/prices/boundaries.ts';
import type { PricedSums } from '../../../domain/stats/charges.ts';
import { usageDetails } from '../calls/sql/usage-column.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { SqlParams } from '../query/sql-params.ts';
import { groupedSql } from './group-sql.ts';
import { type StatsScope, statsConditions } from './stats-conditions.ts';
import { ownUsageSql } from './usage-stats.ts';

/**
 * Adds up the tokens of calls by bucket and model, apart for each price that they may have: at most `limit` rows. Prices
 * change only at `boundaries`.
 */
export async function measureCharges(
  clickhouse: ClickHouse,
  { boundaries, limit, ...scope }: StatsScope & { boundaries: PriceBoundaries; limit: number },
): Promise<PricedSums[]> {
  const params = new SqlParams();
  const { conditions, bucket } = statsConditions(scope, params);
  conditions.push('is_repeated = 0');
  conditions.push(...ownUsageSql(scope));
  const grouped = groupedSql(scope.groups, params);
  const keys = {
    bucket,
    time: stretch(
      seconds,
      boundaries.times.map((micros) => Math.ceil(micros / 1e6)),
    ),
    hour: stretch(`positiveModulo(${seconds}, 86400)`, boundaries.secondsOfDay),
    tier: stretch(
      'ofInput',
      boundaries.promptTokens.map((longest) => longest + 1),
    ),
    isSum: 'ofRequests > 1',
  };
  const sums = {
    sum_input_tokens: 'ofInput',
    sum_output_tokens: 'ofOutput',
    sum_total_tokens: 'ifNull(ofTotal, 0)',
    sum_cache_read_input_tokens: 'ofCacheRead',
    sum_cache_creation_input_tokens: 'ofCacheCreation',
    pricedInput: 'if(ofInput < ofCacheRead + ofCacheCreation, ofInput + ofCacheRead + ofCacheCreation, ofInput)',
    requests: 'if(ofInput + ofOutput > 0, greatest(ofRequests, 1), 0)',
    ofUnknownKind: 'if(ofInput + ofOutput = 0, ifNull(ofTotal, 0), 0)',
  };
  const count = (column: string) => `arrayMap(each -> greatest(each, 0), usage.${column})`;
  return clickhouse.query<PricedSums>(
    `SELECT ${Object.entries(keys)
      .map(([name, sql]) => `${sql} AS ${name}Key`)
      .join(', ')}, model, provider,
            ${['bucketKey AS bucket', ...grouped.columns].join(', ')}, count() AS count,
            toUnixTimestamp64Micro(min(started_at)) AS startedAt,
            max(ofInput) AS longestInput, max(ofRequests) AS mostRequests, sumMap(ofParts) AS parts,
            ${Object.entries(sums)
              .map(([name, sql]) => `sum(toFloat64(${sql})) AS ${name}`)
              .join(', ')}
     FROM calls FINAL
     ARRAY JOIN usage.model AS model, ${count('requests')} AS ofRequests, ${count('input')} AS ofInput,
       ${count('output')} AS ofOutput, usage.total AS ofTotal, ${count('cache_read')} AS ofCacheRead,
       ${count('cache_creation')} AS ofCacheCreation, arrayMap(d -> d.1, ${usageDetails}) AS provider,
       arrayMap(d -> d.3, ${usageDetails}) AS ofParts
     WHERE ${[...conditions, ...grouped.conditions].join(' AND ')}
     GROUP BY ${[...Object.keys(keys).map((name) => `${name}Key`), 'model', 'provider', ...grouped.keys].join(', ')}
     LIMIT ${limit}`,
    params.values,
  );
}

const seconds = 'toInt64(floor(toUnixTimestamp64Micro(started_at) / 1000000))';

/** The last boundary at or below a value. */
function stretch(value: string, boundaries: number[]): string {
  return boundaries.length === 0 ? '0' : `roundDown(${value}, [${[lowest, ...boundaries].join(', ')}])`;
}

const lowest = -(2 ** 53);
