import { invalidInput } from '../../util/failures.ts';

/** A row of PostgreSQL's COPY, with the columns that the text names. */
export type CopyRow = { line: number; columns: string[]; values: (string | null)[] };

const start = /^COPY\s+\S+\s*\(([^)]*)\)\s+FROM\s+stdin;$/i;

/** Whether a text is a dump of PostgreSQL or the output of COPY with its header, by its first line. */
export function isCopyText(firstLine: string): boolean {
  return /^(--|SET |COPY |\\restrict )/.test(firstLine) || firstLine.split('\t').some((column) => column === 'id');
}

/**
 * The rows of a plain dump (`pg_dump --data-only`), and of `COPY … TO … WITH (HEADER)`. All other statements of a dump are skipped.
 * @throws Failure for rows without the names of their columns
 */
export async function* copyRows(lines: AsyncIterable<string>): AsyncGenerator<CopyRow> {
  let columns: string[] | null = null;
  let isDump: boolean | null = null;
  let line = 0;
  for await (const text of lines) {
    line++;
    const [, listed] = start.exec(text.trimEnd()) ?? [];
    isDump ??= listed !== undefined || !isHeader(text);
    if (listed !== undefined) columns = listed.split(',').map((name) => name.trim().replaceAll('"', ''));
    else if (text === '\\.') columns = null;
    else if (columns !== null) yield { line, columns, values: text.split('\t').map(unescaped) };
    else if (!isDump) columns = text.split('\t');
  }
  if (line > 0 && isDump === null)
    throw invalidInput('The file has no names of columns. Export it with COPY … WITH (HEADER).');
}

function isHeader(text: string): boolean {
  return text.split('\t').every((column) => /^[a-z_]+$/.test(column));
}

const escapes: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

function unescaped(field: string): string | null {
  if (field === '\\N') return null;
  return field.replace(/\\([0-7]{1,3}|x[0-9a-fA-F]{1,2}|.)/gs, (_, code: string) => {
    if (/^[0-7]/.test(code)) return String.fromCharCode(Number.parseInt(code, 8));
    if (/^x[0-9a-fA-F]/.test(code)) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return escapes[code] ?? code;
  });
}
