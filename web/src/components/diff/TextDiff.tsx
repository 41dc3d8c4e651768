import { useMemo, useState } from 'react';
import { formatCount } from '../../format/numbers.ts';
import styles from './TextDiff.module.css';
import { diffText, sharedPart, type TextPiece } from './text-diff.ts';

type TextDiffProps = {
  before: string;
  after: string;
  /** The old text is shown beside it: where little is equal, only the new one is shown. */
  isBeside?: boolean;
};

/** A text with what was removed and added, in words. Long stretches that are equal are cut. */
export function TextDiff({ before, after, isBeside = false }: TextDiffProps) {
  const pieces = useMemo(() => diffText(before, after), [before, after]);
  const [isWhole, setIsWhole] = useState(false);
  const isOther = isBeside && sharedPart(pieces) < rewrittenMax;
  const shown: TextPiece[] = isOther ? [{ kind: 'same', text: after }] : pieces;
  return (
    <p className={styles.text}>
      {shown.map((piece, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces do not move
        <Piece key={index} piece={piece} isWhole={isWhole || isOther} onShow={() => setIsWhole(true)} />
      ))}
    </p>
  );
}

const rewrittenMax = 0.25;
const sameMax = 400;
const keptLength = 120;

function Piece({ piece: { kind, text }, isWhole, onShow }: { piece: TextPiece; isWhole: boolean; onShow: () => void }) {
  if (kind === 'added') return <ins className={styles.added}>{text}</ins>;
  if (kind === 'removed') return <del className={styles.removed}>{text}</del>;
  if (isWhole || text.length <= sameMax) return text;
  const start = text.slice(0, keptLength).replace(/\S+$/, '');
  const end = text.slice(-keptLength).replace(/^\S+/, '');
  return (
    <>
      {start}
      <button type="button" className={styles.cut} onClick={onShow}>
        … {formatCount(text.length - start.length - end.length)} equal characters …
      </button>
      {end}
    </>
  );
}
