import type { PayloadColumn } from '../../../../domain/calls/call-field.ts';
import { isPathPrefix, type PathStep } from '../../../../domain/query/field-path.ts';
import { jsonRawSql, jsonTextSql } from '../../query/json-path-sql.ts';
import type { SqlParams } from '../../query/sql-params.ts';

/** A location of refs in the payloads, with the values (JSON text) of those that could be resolved. */
export type Expansion = { column: PayloadColumn; path: PathStep[]; refs: string[]; values: string[] };

/** Outer locations come first, so that a ref inside an expanded object is found. */
export type Expansions = Expansion[];

/**
 * The location of the value at a path of a payload after the refs on the path are resolved: a document and the rest of
 * the path in it. A value at an expanded location that is not a ref is used as it is.
 */
export function expandedPlace(
  column: PayloadColumn,
  path: PathStep[],
  expansions: Expansions,
  params: SqlParams,
): { document: string; path: PathStep[] } {
  let document: string = column;
  let walked = 0;
  for (const expansion of expansions) {
    const isOnTheWay =
      expansion.column === column && expansion.path.length < path.length && isPathPrefix(expansion.path, path);
    if (!isOnTheWay) continue;
    const steps = path.slice(walked, expansion.path.length);
    const ref = jsonTextSql('d', steps, params);
    const plain = jsonRawSql('d', steps, params);
    const value = `transform(${ref}, ${params.strings(expansion.refs)}, ${params.strings(expansion.values)}, '')`;
    // The lambda names the document; otherwise the SQL would triple with each level.
    document = `arrayMap(d -> if(startsWith(${ref}, 'weave:///'), ${value}, ${plain}), [${document}])[1]`;
    walked = expansion.path.length;
  }
  return { document, path: path.slice(walked) };
}
