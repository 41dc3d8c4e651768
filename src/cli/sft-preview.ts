import { styleText } from 'node:util';
import type { OperationAnswer } from '../admin/operations.ts';

import { suiteRows } from './suite-rows.ts';

export type SftPreview = Omit<OperationAnswer<'sft.preview'>, 'chosen'>;

type Out = { hasColors?(): boolean };
type Row = [title: string, text: string];

/** A preview of a supervised job's training data, as text. */
export function describeSftPreview(preview: SftPreview, out: Out): string {
  const rows = [...sourceRows(preview), ...(preview.steps === 0 ? [] : trainingRows(preview))];
  const lines = rows.map(([title, text]) => `${title.padEnd(titleWidth)}${text}\n`);
  const isColored = out.hasColors?.() ?? false;
  const examples = preview.examples.map((pieces) => `\n${exampleOf(pieces, isColored)}\n`);
  const legend = examples.length > 0 && isColored ? `\n${trainedStyle('Trained tokens')} are green.\n` : '';
  return [...lines, ...examples, legend].join('');
}

const titleWidth = 14;

function sourceRows({ model, base, step, calls }: SftPreview): Row[] {
  const heading: Row = ['model', `${model} over ${base}, ${step === 0 ? 'not trained yet' : `from step ${step}`}`];
  if (calls === null) return [heading];
  const limited = calls.read < calls.matched ? `, of which the newest ${counted(calls.read)} are read` : '';
  return [
    heading,
    ['calls', `${counted(calls.matched)} match${limited}`],
    ...calls.skipped.map(({ reason, count }): Row => ['', `${counted(count)} skipped: ${reason}`]),
  ];
}

function trainingRows(preview: SftPreview): Row[] {
  const { conversations, heldOut, tooLong, tokens, steps, batchSize, epochs, learningRate, warnings } = preview;
  const without = [
    ...(heldOut > 0 ? [`${counted(heldOut)} held out`] : []),
    ...(tooLong > 0 ? [`${counted(tooLong)} too long`] : []),
  ];
  return [
    ['conversations', [counted(conversations), ...without].join(', ')],
    ['tokens', `${counted(tokens.trained)} trained, ${counted(tokens.masked)} masked (prompts and context)`],
    [
      'steps',
      `${counted(steps)} of ${batchSize} conversation${batchSize === 1 ? '' : 's'}` +
        `${epochs > 1 ? ` in ${epochs} epochs` : ''}, learning rate ${[learningRate].flat().map(String).join(', ')}`,
    ],
    ...warnings.map((warning): Row => ['warning', warning]),
    ...suiteRows(preview.suites, 'line'),
  ];
}

/** A conversation with what is trained, shortened. */
function exampleOf(pieces: SftPreview['examples'][number], isColored: boolean): string {
  return pieces
    .map(({ text, isTrained }) => {
      if (!isColored) return isTrained ? `⟦${shortened(text)}⟧` : shortened(text);
      return isTrained ? trainedStyle(shortened(text)) : styleText('dim', shortened(text), always);
    })
    .join('');
}

function trainedStyle(text: string): string {
  return styleText(['green', 'bold'], text, always);
}

const always = { validateStream: false };

const charactersMax = 600;

/** The start and the end of long text. */
function shortened(text: string): string {
  if (text.length <= charactersMax) return text;
  const half = charactersMax / 2;
  return `${text.slice(0, half)} … ${text.slice(-half)}`;
}

function counted(count: number): string {
  return count.toLocaleString('en-US');
}
