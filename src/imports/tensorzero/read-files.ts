import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Failure, invalidInput } from '../../util/failures.ts';
import { isObject } from '../../util/json/own-member.ts';
import { parseJson } from '../../util/json/parse.ts';
import { type OpenFile, openTextFile } from '../read-file.ts';
import { copyRows, isCopyText } from './copy-text.ts';
import { type Columns, kindOfRow, type RowKind } from './tables.ts';

/** A row with its place, such as `ChatInference.jsonl, line 3`. Numbers keep their digits. */
export type Row = { place: string; kind: RowKind; columns: Columns };

export type Source = {
  /** For messages and progress. */
  name: string;
  path: string;
  isParquet: boolean;
};

const readable = /\.(jsonl?|ndjson|parquet|sql|copy|tsv|txt)(\.gz)?$/i;

/** The files at a path, and in a folder those below it. @throws Failure for a path that does not exist */
export async function sourcesAt(paths: string[]): Promise<Source[]> {
  const found: string[] = [];
  for (const path of paths) {
    const info = await stat(path).catch(() => null);
    if (info === null) throw invalidInput(`${path} does not exist.`);
    if (!info.isDirectory()) found.push(path);
    else {
      const entries = await readdir(path, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile() && readable.test(entry.name));
      found.push(...files.map((entry) => join(entry.parentPath, entry.name)).sort());
    }
  }
  return found.map((path) => ({ name: basename(path), path, isParquet: /\.parquet$/i.test(path) }));
}

type Reading = {
  refuse(reason: string): void;
  /** Called with the file while it is read. */
  opened(file: OpenFile): void;
};

/** The rows of a file. Whatever is not a row of TensorZero goes to `refuse`. @throws Failure if the file cannot be read */
export async function* rowsOf(source: Source, { refuse, opened }: Reading): AsyncGenerator<Row> {
  const { name } = source;
  const file = await openTextFile(source.path);
  opened(file);
  const unit = source.isParquet ? 'row' : 'line';
  for await (const { line, columns } of await columnsIn(file, (line, reason) =>
    refuse(`${name}, ${unit} ${line}: ${reason}`),
  )) {
    const place = `${name}, ${unit} ${line}`;
    const kind = kindOfRow(columns);
    if (kind !== null) yield { place, kind, columns };
    else
      refuse(
        `${place}: found the columns ${Object.keys(columns).slice(0, 8).join(', ').slice(0, 200) || '-'}, which no table of TensorZero has.`,
      );
  }
}

type Located = { line: number; columns: Columns };

async function columnsIn(
  file: OpenFile,
  refuse: (line: number, reason: string) => void,
): Promise<AsyncIterable<Located>> {
  const { first, all } = await withFirstLine(file.text);
  return isCopyText(first) ? fromCopy(all, refuse) : fromJson(all, refuse);
}

/** The beginning of a text up to its first line feed, and the whole text. */
async function withFirstLine(text: AsyncIterable<string>): Promise<{ first: string; all: AsyncIterable<string> }> {
  const iterator = text[Symbol.asyncIterator]();
  let begin = '';
  let isOver = false;
  while (!begin.includes('\n') && begin.length < firstLineMax && !isOver) {
    const { done, value } = await iterator.next();
    if (done) isOver = true;
    else begin += value;
  }
  async function* all() {
    yield begin;
    while (!isOver) {
      const { done, value } = await iterator.next();
      isOver = done === true;
      if (!done) yield value;
    }
  }
  return { first: begin.split('\n', 1)[0]!, all: all() };
}

const firstLineMax = 1 << 20;

/** One object per line: a line that is none does not end the file. */
async function* fromJson(
  text: AsyncIterable<string>,
  refuse: (line: number, reason: string) => void,
): AsyncGenerator<Located> {
  let line = 0;
  for await (const record of linesIn(text)) {
    line++;
    if (record.trim() === '') continue;
    try {
      const columns = parseJson(record, { keepsDigits: true });
      if (isObject(columns)) yield { line, columns };
      else refuse(line, 'expected a JSON object.');
    } catch (error) {
      refuse(line, `this is not valid JSON (${(error as Error).message}).`);
    }
  }
}

async function* fromCopy(
  text: AsyncIterable<string>,
  refuse: (line: number, reason: string) => void,
): AsyncGenerator<Located> {
  for await (const { line, columns, values } of copyRows(linesIn(text))) {
    if (values.length === columns.length)
      yield { line, columns: Object.fromEntries(columns.map((name, index) => [name, values[index]])) };
    else refuse(line, `the row has ${values.length} values for ${columns.length} columns.`);
  }
}

const lineCharactersMax = 64 * 1024 * 1024;

async function* linesIn(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of text) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop()!;
    if (rest.length > lineCharactersMax)
      throw new Failure('tooLarge', `A line has more than ${lineCharactersMax} characters.`);
    yield* lines;
  }
  if (rest !== '') yield rest;
}
