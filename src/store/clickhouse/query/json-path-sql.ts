import type { PathStep } from '../../../domain/query/field-path.ts';
import type { SqlParams } from './sql-params.ts';

/**
 * The text of the JSON value at a path of a document: a string is itself, `5.0` is `5`, objects and lists are minified,
 * null and missing values are the empty string.
 */
export function jsonTextSql(document: string, path: PathStep[], params: SqlParams): string {
  const { container, keys, isReadable } = walkIndexes(document, path, params);
  const text = callSql('JSONExtractString', container, keys);
  if (isReadable) return text;
  // Only a document without a result is parsed again, to see whether the parser rejected all of it.
  const repaired = callSql('JSONExtractString', repairedSql(container), keys);
  return `if(${text} != '' OR empty(${container}) OR isValidJSON(${container}), ${text}, ${repaired})`;
}

/** Whether there is a value other than null at the path. `text` is the result of {@link jsonTextSql} for it. */
export function jsonIsSetSql(document: string, path: PathStep[], text: string, params: SqlParams): string {
  const { container, keys } = walkIndexes(document, path, params);
  return `(${text} != '' OR ${callSql('JSONType', container, keys)} = 'String')`;
}

/** The JSON text of the value at a path, the empty string if it is missing. */
export function jsonRawSql(document: string, path: PathStep[], params: SqlParams): string {
  const { container, keys } = walkIndexes(readableSql(document), path, params);
  return keys.length === 0 ? container : callSql('JSONExtractRaw', container, keys);
}

/**
 * Resolves the path up to its last integer, which indexes a list and is a key of an object. The lambda names the
 * container, whose SQL would otherwise double with each such step.
 */
function walkIndexes(document: string, path: PathStep[], params: SqlParams) {
  const isReadable = path.some(({ index }) => index !== null);
  let container = isReadable ? readableSql(document) : document;
  let keys: string[] = [];
  for (const { key, index } of path) {
    if (index === null) {
      keys.push(params.string(key));
      continue;
    }
    const around = keys.length === 0 ? container : callSql('JSONExtractRaw', container, keys);
    const element = callSql('JSONExtractRaw', 'c', [params.bind('UInt32', index + 1)]);
    const member = callSql('JSONExtractRaw', 'c', [params.string(key)]);
    container = `arrayMap(c -> if(JSONType(c) = 'Array', ${element}, ${member}), [${around}])[1]`;
    keys = [];
  }
  return { container, keys, isReadable };
}

function readableSql(document: string): string {
  return `if(empty(${document}) OR isValidJSON(${document}), ${document}, ${repairedSql(document)})`;
}

/**
 * The parser rejects a whole document because of one number out of range, such as 2^64 or 1e400. Numbers with that many
 * digits are therefore quoted, which keeps their text.
 */
function repairedSql(document: string): string {
  const tokens = String.raw`'"(?:[^"\\\\]|\\\\.)*"|-?[0-9][-+0-9.eE]*|[^"0-9-]+'`;
  const isHuge = `match(t, '^-?[0-9]{19}|^-?[0-9].*[eE][+]?[0-9]{3}')`;
  return `arrayStringConcat(arrayMap(t -> if(${isHuge}, concat('"', t, '"'), t), extractAll(${document}, ${tokens})))`;
}

function callSql(name: string, document: string, keys: string[]): string {
  return `${name}(${[document, ...keys].join(', ')})`;
}
