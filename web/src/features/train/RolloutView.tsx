import { formatNumber } from '../../format/numbers.ts';
import { Badge } from '../../ui/Badge.tsx';
import { probabilityMark } from '../chat/token-probability.ts';
import styles from './RolloutView.module.css';

type Piece = {
  text: string;
  is_trained: boolean;
  tokens?: { text: string; logprob?: number | null | undefined }[] | null | undefined;
};
type Rollout = { advantage?: number | null | undefined; pieces: Piece[] };

/** What colours show: whether training makes a token likelier, or how likely it was. */
export type Coloring = 'advantage' | 'logprob';

/** A conversation that a step trains on: what the model read, and the tokens that it is trained to write. */
export function RolloutView({
  rollout: { advantage, pieces },
  title,
  coloring = 'advantage',
}: {
  rollout: Rollout;
  title: string;
  coloring?: Coloring;
}) {
  return (
    <article className={styles.rollout} aria-label={title}>
      <header className={styles.head}>
        <strong>{title}</strong>
        {advantage != null && (
          <Badge tone={advantage > 0 ? 'success' : advantage < 0 ? 'error' : 'neutral'}>
            advantage {advantage > 0 ? '+' : ''}
            {formatNumber(advantage)}
          </Badge>
        )}
      </header>
      {pieces.map((piece, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: a piece is its position
          key={index}
          className={piece.is_trained ? styles.answer : styles.context}
        >
          <span className={styles.role}>{piece.is_trained ? 'trained' : 'masked'}</span>
          <p className={`${styles.text} ${toneOf(piece, advantage ?? null, coloring)}`}>
            {coloring === 'logprob' && piece.tokens
              ? piece.tokens.map(({ text, logprob }, token) => (
                  <span
                    // biome-ignore lint/suspicious/noArrayIndexKey: a token is its position
                    key={token}
                    className={probabilityMark(logprob)}
                    title={logprob == null ? 'logprob unknown' : `logprob ${logprob.toFixed(2)}`}
                  >
                    {text}
                  </span>
                ))
              : piece.text}
          </p>
        </div>
      ))}
    </article>
  );
}

function toneOf({ is_trained }: Piece, advantage: number | null, coloring: Coloring): string | undefined {
  if (!is_trained || coloring !== 'advantage') return '';
  return advantage === null || advantage > 0 ? styles.likelier : advantage < 0 ? styles.unlikelier : '';
}
