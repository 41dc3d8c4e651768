import { useMemo, useState } from 'react';
import { DiffLines } from '../../components/diff/Diff.tsx';
import { Button } from '../../ui/Button.tsx';
import styles from './ComparePage.module.css';

const shownMax = 600;

type ComparedValueProps = {
  text: string;
  /** What the first call has in this place. */
  first: string | null;
};

/** A value. Of a text with several lines that differs from the first one, the lines that differ. */
export function ComparedValue({ text, first }: ComparedValueProps) {
  const [isWhole, setIsWhole] = useState(false);
  const lines = useMemo(() => [first ?? '', text].map((each) => each.split('\n')), [first, text]);
  if (text !== first && first !== null && lines.every(({ length }) => length > 1)) {
    return <DiffLines before={lines[0]!} after={lines[1]!} />;
  }
  const isLong = text.length > shownMax;
  return (
    <>
      <span className={styles.text}>{isLong && !isWhole ? `${text.slice(0, shownMax)}…` : text}</span>
      {isLong && (
        <Button kind="quiet" onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? 'Show less' : 'Show all'}
        </Button>
      )}
    </>
  );
}
