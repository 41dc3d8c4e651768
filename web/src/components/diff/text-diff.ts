import { diffLines } from './line-diff.ts';

/** A stretch of text that both texts have, or only the new or the old one. */
export type TextPiece = { kind: 'same' | 'added' | 'removed'; text: string };

/** Two texts word by word. Words are compared only within lines that differ, and only where enough of them are equal. */
export function diffText(before: string, after: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  let [removed, added] = ['', ''];
  const endBlock = () => {
    pieces.push(...diffBlock(removed, added));
    [removed, added] = ['', ''];
  };
  for (const { kind, text } of diffLines(linesOf(before), linesOf(after))) {
    if (kind === 'removed') removed += text;
    else if (kind === 'added') added += text;
    else {
      endBlock();
      pieces.push({ kind: 'same', text });
    }
  }
  endBlock();
  return joined(pieces);
}

/** How much of the longer text both texts have, from 0 to 1. */
export function sharedPart(pieces: TextPiece[]): number {
  const length = (wanted: TextPiece['kind']) =>
    pieces.reduce((sum, { kind, text }) => sum + (kind === wanted ? text.length : 0), 0);
  const same = length('same');
  return same / Math.max(1, same + Math.max(length('added'), length('removed')));
}

/** Longer blocks take too long to compare word by word. */
const blockMax = 20_000;
/** Below this, a text counts as another one: single words that happen to be equal make it harder to read. */
const sharedMin = 0.3;
/** Shorter stretches between two changes count as changed. */
const stretchMin = 4;

function diffBlock(removed: string, added: string): TextPiece[] {
  const whole = changeOf(removed, added);
  if (removed === '' || added === '' || removed.length + added.length > blockMax) return whole;
  const pieces = withoutShortStretches(joined(diffLines(wordsOf(removed), wordsOf(added)).map(pieceOf)));
  return sharedPart(pieces) < sharedMin ? whole : pieces;
}

function withoutShortStretches(pieces: TextPiece[]): TextPiece[] {
  const result: TextPiece[] = [];
  let [removed, added] = ['', ''];
  for (const [index, { kind, text }] of pieces.entries()) {
    const isBetween = index > 0 && index < pieces.length - 1;
    const isShort = kind === 'same' && isBetween && text.trim().length < stretchMin;
    if (kind === 'same' && !isShort) {
      result.push(...changeOf(removed, added), { kind, text });
      [removed, added] = ['', ''];
    } else {
      if (kind !== 'added') removed += text;
      if (kind !== 'removed') added += text;
    }
  }
  return [...result, ...changeOf(removed, added)];
}

function changeOf(removed: string, added: string): TextPiece[] {
  const pieces: TextPiece[] = [
    { kind: 'removed', text: removed },
    { kind: 'added', text: added },
  ];
  return pieces.filter(({ text }) => text !== '');
}

function pieceOf({ kind, text }: ReturnType<typeof diffLines>[number]): TextPiece {
  return { kind: kind === 'skipped' ? 'same' : kind, text };
}

/** Neighbours of one kind as one piece. */
function joined(pieces: TextPiece[]): TextPiece[] {
  const result: TextPiece[] = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    if (last?.kind === piece.kind) last.text += piece.text;
    else result.push({ ...piece });
  }
  return result;
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Also of languages without spaces between words. */
function wordsOf(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}
