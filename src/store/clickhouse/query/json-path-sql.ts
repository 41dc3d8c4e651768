import type { PathStep } from '../../../domain/query/field-path.ts';
import type { SqlParams } from './sql-params.ts';

/**
 * The text of the JSON value at a path of a document: a string is itself, `5.0` is `5`, objects and lists are minified,
 * null and missing are the empty text.
 */
export function jsonTextSql(document: string, path: PathStep[], params: SqlParams): string {
  const { container, keys, isReadable } = walkIndexes(document, path, params);
  const text = callSql('JSONExtractString', container, keys);
  if (isReadable) return text;
  // Only what yields no text is parsed a second time, to see whether the parser gave up on the whole document.
  const repaired = callSql('JSONExtractString', repairedSql(container), keys);
  return `if(${text} != '' OR empty(${container}) OR isValidJSON(${container}), ${text}, ${repaired})`;
}

/** Whether there is a value other than null at the path. `text` is what {@link jsonTextSql} gave for it. */
export function jsonIsSetSql(document: string, path: PathStep[], text: string, params: SqlParams): string {
  const { container, keys } = walkIndexes(document, path, params);
  return `(${text} != '' OR ${callSql('JSONType', container, keys)} = 'String')`;
}

/** The JSON text of the value at a path, the empty text where it is missing. */
export function jsonRawSql(document: string, path: PathStep[], params: SqlParams): string {
  const { container, keys } = walkIndexes(readableSql(document), path, params);
  return keys.length === 0 ? container : callSql('JSONExtractRaw', container, keys);
}

/**
 * Goes down to behind the last whole number of the path. There a list is indexed and an object asked for the key. The
 * lambda names what is asked, whose SQL would otherwise double with each such step.
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
 * The parser refuses a whole document for one number it cannot hold, such as 2^64 or 1e400. Here numbers with that
 * many digits are put in quotes, which leaves their text as it is.
 */
function repairedSql(document: string): string {
  const tokens = String.raw`'"(?:[^"\\\\]|\\\\.)*"|-?[0-9][-+0-9.eE]*|[^"0-9-]+'`;
  const isHuge = `match(t, '^-?[0-9]{19}|^-?[0-9].*[eE][+]?[0-9]{3}')`;
  return `arrayStringConcat(arrayMap(t -> if(${isHuge}, concat('"', t, '"'), t), extractAll(${document}, ${tokens})))`;
}

function callSql(name: string, document: string, keys: string[]): string {
  return `${name}(${[document, ...keys].join(', ')})`;
}
