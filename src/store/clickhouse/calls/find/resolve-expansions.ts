import { resolveCallField, resolvePayloadPath } from '../../../../domain/calls/call-field.ts';
import { isPathPrefix } from '../../../../domain/query/field-path.ts';
import { invalidInput } from '../../../../util/failures.ts';
import type { ClickHouse } from '../../clickhouse.ts';
import { jsonTextSql } from '../../query/json-path-sql.ts';
import { allOf, type CallsSelection, compileSelection } from '../sql/calls-query.ts';
import { type Expansion, type Expansions, expandedPlace } from '../sql/expansions-sql.ts';

/** The locations of calls at which refs are treated as if they were the objects they refer to. */
export type RefExpansion = {
  /** Field paths such as `inputs.model`. To expand a ref inside an object, list the path to the object too. */
  paths: string[];
  /** Whether the response contains the values; otherwise only filters and sorts look through the refs. */
  returnsValues: boolean;
  /** The values (JSON text) of refs, except those that are unknown, deleted or not readable by the caller. */
  resolveRefs(refs: string[]): Promise<Map<string, string>>;
};

/** Resolves the refs on the path to these fields, outermost first. @throws Failure for too many. */
export async function resolveExpansions(
  clickhouse: ClickHouse,
  selection: CallsSelection,
  expansion: RefExpansion | null,
  fieldPaths: string[],
): Promise<Expansions> {
  const resolved: Expansion[] = [];
  if (!expansion) return resolved;
  for (const place of placesOnTheWay(expansion.paths, fieldPaths)) {
    const refs = await findRefs(clickhouse, selection, resolved, place);
    const values = [...(refs.length > 0 ? await expansion.resolveRefs(refs) : [])];
    resolved.push({ ...place, refs: values.map(([ref]) => ref), values: values.map(([, value]) => value) });
  }
  return resolved;
}

const placesMax = 10;

/** The locations of expanded paths, inside both the calls and the objects they refer to, in order of depth. */
export function expandedPlaces(paths: string[]): Pick<Expansion, 'column' | 'path'>[] {
  return [...new Set(paths)]
    .map(resolvePayloadPath)
    .filter((place) => place !== null)
    .sort((a, b) => a.path.length - b.path.length);
}

function placesOnTheWay(paths: string[], fieldPaths: string[]): Pick<Expansion, 'column' | 'path'>[] {
  const fields = fieldPaths.map(resolveCallField).filter((field) => field.kind === 'json');
  const places = expandedPlaces(paths).filter(({ column, path }) =>
    fields.some(
      (field) => field.column === column && path.length < field.path.length && isPathPrefix(path, field.path),
    ),
  );
  if (places.length > placesMax) {
    throw invalidInput(`A query can look through refs at ${placesMax} places at most, this one needs ${places.length}`);
  }
  return places;
}

/** The refs at a location in the calls that the filter selects: the query may need them before it can run. */
async function findRefs(
  clickhouse: ClickHouse,
  selection: CallsSelection,
  resolved: Expansions,
  { column, path }: Pick<Expansion, 'column' | 'path'>,
): Promise<string[]> {
  const { params, base, conditions } = compileSelection({ ...selection, query: null }, resolved);
  const { document, path: rest } = expandedPlace(column, path, resolved, params);
  const rows = await clickhouse.query<{ ref: string }>(
    `SELECT DISTINCT ${jsonTextSql(document, rest, params)} AS ref
     FROM calls
     WHERE ${allOf(base, 'is_deleted = 0', "startsWith(ref, 'weave:///')", ...conditions)}`,
    params.values,
  );
  return rows.map(({ ref }) => ref);
}
