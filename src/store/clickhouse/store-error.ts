import { tables } from './rows/tables.ts';

/**
 * A statement that failed. The error contains the store's error number and name and which statement it was, but never
 * the store's message: messages quote rows, parameters and SQL, and errors end up in logs and responses.
 */
export class StoreError extends Error {
  /** The store's error number, as listed in `system.errors`; null if the failure has none. */
  readonly code: number | null;
  /** Its name, such as `NOT_ENOUGH_SPACE`. */
  readonly codeName: string;
  /** Which limit the statement exceeds, if the code does not say. */
  readonly exceeds: 'memory of all statements' | 'complexity' | 'disk space' | null;

  constructor(statement: string, code: number | null, codeName: string, exceeds: StoreError['exceeds'] = null) {
    super(`ClickHouse did not run ${statement}: ${codeName}${code === null ? '' : ` (${code})`}`);
    this.code = code;
    this.codeName = codeName;
    this.exceeds = exceeds;
  }
}

/**
 * The store rejected rows because of their content: it would reject them again, but not the other rows of their batch.
 */
export class InsertRefused extends StoreError {}

/** Converts the error of a failed statement. `statement` names it and contains no values. */
export function toStoreError(error: unknown, statement: string): StoreError {
  const { code, codeName } = readCode(error);
  const Kind = statement.startsWith('INSERT') && code !== null && rowErrors.has(code) ? InsertRefused : StoreError;
  return new Kind(statement, code, codeName, exceededLimit(error));
}

/** Only the store's message says which resource ran out, and for whom. */
function exceededLimit(error: unknown): StoreError['exceeds'] {
  const words = wordsOf(error);
  if (/\((total|for user)\) memory limit exceeded/i.test(words)) return 'memory of all statements';
  if (/No space left on device|Disk quota exceeded|NOT_ENOUGH_SPACE/.test(words)) return 'disk space';
  return /max_query_size|max_parser_depth|max_parser_backtracks/i.test(words) ? 'complexity' : null;
}

function wordsOf(error: unknown): string {
  const { message = '', cause } = (error ?? {}) as Raw;
  return cause ? `${message} ${wordsOf(cause)}` : message;
}

/** Names a statement for an error: what it does, and to which table. */
export function describeSql(sql: string): string {
  const verb = /^(?:\s|\/\*.*?\*\/)*([A-Z]+)/i.exec(sql)?.[1]?.toUpperCase() ?? 'a statement';
  const table = tableName.exec(sql)?.[1];
  return table === undefined ? verb : `${verb} on ${table}`;
}

/** Only names of tables: what follows these words in a literal is a value of a client. */
const tableName = new RegExp(
  `\\b(?:FROM|INTO|TABLE|UPDATE)\\s+(?:IF\\s+(?:NOT\\s+)?EXISTS\\s+)?(${Object.keys(tables).join('|')}|schema_migrations|system\\.\\w+)\\b`,
  'i',
);

/** ClickHouse's errors about the values of a row, rather than about the store or the statement. */
const rowErrors = new Set([
  6, // CANNOT_PARSE_TEXT
  20, // NUMBER_OF_COLUMNS_DOESNT_MATCH
  25, // CANNOT_PARSE_ESCAPE_SEQUENCE
  26, // CANNOT_PARSE_QUOTED_STRING
  27, // CANNOT_PARSE_INPUT_ASSERTION_FAILED
  32, // ATTEMPT_TO_READ_AFTER_EOF
  33, // CANNOT_READ_ALL_DATA
  36, // BAD_ARGUMENTS, also of a DEFAULT expression
  38, // CANNOT_PARSE_DATE
  41, // CANNOT_PARSE_DATETIME
  43, // ILLEGAL_TYPE_OF_ARGUMENT
  53, // TYPE_MISMATCH
  69, // ARGUMENT_OUT_OF_BOUND
  70, // CANNOT_CONVERT_TYPE
  72, // CANNOT_PARSE_NUMBER
  117, // INCORRECT_DATA
  128, // TOO_LARGE_ARRAY_SIZE
  130, // CANNOT_READ_ARRAY_FROM_TEXT
  131, // TOO_LARGE_STRING_SIZE
  190, // SIZES_OF_ARRAYS_DONT_MATCH
  306, // TOO_DEEP_RECURSION
  321, // VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE
  349, // CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN
  376, // CANNOT_PARSE_UUID
  407, // DECIMAL_OVERFLOW
  441, // CANNOT_PARSE_DOMAIN_VALUE_FROM_STRING
  467, // CANNOT_PARSE_BOOL
  675, // CANNOT_PARSE_IPV4
  691, // UNKNOWN_ELEMENT_OF_ENUM
]);

/** The client, chDB and the engine each store their code in a different place. */
function readCode(error: unknown): { code: number | null; codeName: string } {
  const { message = '', code, clickhouseCode, type, cause, name = 'Error' } = (error ?? {}) as Raw;
  const number = Number(clickhouseCode ?? (/^\d+$/.test(String(code)) ? code : /^Code: (\d+)\b/.exec(message)?.[1]));
  if (Number.isInteger(number)) {
    const named = typeof type === 'string' && type !== '' ? type : nameAtEnd.exec(message)?.[1];
    return { code: number, codeName: named ?? 'error' };
  }
  if (typeof code === 'string' && /^[A-Z][A-Z_]+$/.test(code)) return { code: null, codeName: code };
  return cause ? readCode(cause) : { code: null, codeName: name };
}

/** ClickHouse ends each message with the name of the error. */
const nameAtEnd = /\(([A-Z][A-Z0-9_]{2,80})\)\s*$/;

type Raw = {
  message?: string;
  code?: unknown;
  clickhouseCode?: number;
  type?: unknown;
  cause?: unknown;
  name?: string;
};
