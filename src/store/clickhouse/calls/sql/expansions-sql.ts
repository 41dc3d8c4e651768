import type { PayloadColumn } from '../../../../domain/calls/call-field.ts';
import { isPathPrefix, type PathStep } from '../../../../domain/query/field-path.ts';
import { jsonRawSql, jsonTextSql } from '../../query/json-path-sql.ts';
import type { SqlParams } from '../../query/sql-params.ts';

/** A place in the payloads where refs lie, with the values (JSON text) of those that could be resolved. */
export type Expansion = { column: PayloadColumn; path: PathStep[]; refs: string[]; values: string[] };

/** Shallow places come first, so that a ref inside an expanded object is found. */
export type Expansions = Expansion[];

/**
 * Where the value at a path of a payload lies once the refs on its way are followed: a document and the rest of the
 * path in it. What is no ref at an expanded place is gone through as it is.
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
    // The lambda names the document, whose SQL would otherwise grow threefold with each level.
    document = `arrayMap(d -> if(startsWith(${ref}, 'weave:///'), ${value}, ${plain}), [${document}])[1]`;
    walked = expansion.path.length;
  }
  return { document, path: path.slice(walked) };
}
