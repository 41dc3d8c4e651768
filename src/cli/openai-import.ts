import type { OperationAnswer } from '../admin/operations.ts';
import { table } from './table.ts';

type Report = OperationAnswer<'import.openai'>;

/** What an import from OpenAI did, for a terminal. */
export function describeOpenAIImport(report: Report, files: string[]): string {
  const { project, evals, runs, items, files: data, jobs, importedFiles, fineTuningJobs, notes } = report;
  const counted = { evals, runs, 'output items': items, files: data, 'jobs started': jobs };
  const rows = Object.entries(counted)
    .filter(([, { added, known }]) => added + known > 0)
    .map(([what, { added, known }]) => [what, String(added), String(known)]);
  const parts = [
    rows.length === 0 ? `Imported nothing into ${project}.\n` : `Imported into ${project}:\n`,
    rows.length === 0 ? '' : table(['', 'NEW', 'KNOWN'], rows),
    section(
      'Files',
      ['OPENAI', 'HEDDLE', 'NAME'],
      importedFiles.map(({ source, id, name }) => [source ?? '-', id, name]),
    ),
    section(
      'Fine-tuning jobs',
      ['JOB', 'METHOD', 'MODEL', 'OUTCOME'],
      fineTuningJobs.map(({ id, method, model, outcome }) => [id, method, model, outcome]),
    ),
    advice(report, files),
    ...notes.map((note) => `\nNote: ${note}\n`),
  ];
  return parts.join('');
}

/** The reasons for rejections, one to a line. */
export function rejected({ refused, reasons }: { refused: number; reasons: string[] }): string {
  const more = refused > reasons.length ? [`… and ${refused - reasons.length} more`] : [];
  return [...reasons, ...more].map((reason) => `  ${reason}\n`).join('');
}

function section(title: string, heading: string[], rows: string[][]): string {
  return rows.length === 0 ? '' : `\n${title}:\n${table(heading, rows)}`;
}

function advice({ project, jobs, fineTuningJobs }: Report, files: string[]): string {
  const isAsked = jobs.added + jobs.known > 0;
  if (isAsked || !fineTuningJobs.some(({ canStart }) => canStart)) return '';
  const command = `heddle import openai ${files.map(quoted).join(' ')} --project ${quoted(project)} --model NAME`;
  return `\nTo start these jobs on a served model (heddle models list):\n  ${command}\n`;
}

function quoted(word: string): string {
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
