import type { OperationAnswer } from '../admin/operations.ts';
import { curveLines } from './curve.ts';

type Shown = OperationAnswer<'runs.show'>;

/** A run as lines for a terminal: its state, its settings, its curves, and what it logged. */
export function describeRun({ run, config, summary, curves, artifacts }: Shown, width: number): string[] {
  const lines = [
    `${run.project}/${run.run}${run.name === run.run ? '' : `  ${run.name}`}`,
    `${run.state}, ${run.rows} ${run.rows === 1 ? 'row' : 'rows'}, started ${run.createdAt.slice(0, 19).replace('T', ' ')} UTC`,
    ...section('settings', pairs(config)),
    ...section('history', curveLines(Object.entries(curves), width - indent.length)),
    ...section('summary', pairs(inSummaryOnly(summary, curves))),
    ...section('artifacts', artifacts),
  ];
  return lines.map((line) => (line.length <= width ? line : `${line.slice(0, width - 1)}…`));
}

const indent = '  ';

function section(title: string, lines: string[]): string[] {
  return lines.length === 0 ? [] : ['', `${title}:`, ...lines.map((line) => indent + line)];
}

/** The last values of the curves are beside them already. */
function inSummaryOnly(summary: Record<string, unknown>, curves: Shown['curves']): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(summary).filter(([key]) => !key.startsWith('_') && !Object.hasOwn(curves, key)),
  );
}

function pairs(values: Record<string, unknown>): string[] {
  const entries = Object.entries(values);
  const width = Math.max(0, ...entries.map(([key]) => key.length));
  return entries.map(([key, value]) => `${key.padEnd(width)}  ${JSON.stringify(value) ?? 'null'}`);
}
