import type { Turn } from '../../api/loops.ts';
import { Icon, type IconName } from '../../ui/Icon.tsx';
import styles from './Steps.module.css';
import { type StepState, stepsOf } from './turn-steps.ts';

const shown: Record<StepState, { icon: IconName; word: string }> = {
  done: { icon: 'check', word: 'done' },
  now: { icon: 'play', word: 'now' },
  ended: { icon: 'close', word: 'ended here' },
  skipped: { icon: 'minus', word: 'not asked' },
  open: { icon: 'clock', word: 'not reached' },
};

const toCome = { icon: 'clock', word: 'to come' } as const;

/** The phases of a turn one after the other, with what is done and what runs. */
export function Steps({ turn, asks }: { turn: Turn; asks: boolean }) {
  return (
    <ol className={styles.steps} aria-label="Phases">
      {stepsOf(turn, asks).map(({ phase, name, state }) => {
        const { icon, word } = state === 'open' && turn.phase !== 'ended' ? toCome : shown[state];
        return (
          <li
            key={phase}
            className={styles.step}
            data-state={state}
            aria-current={state === 'now' ? 'step' : undefined}
          >
            <span className={styles.mark}>
              <Icon name={icon} size={14} />
            </span>
            <span className={styles.name}>{name}</span>
            <span className={styles.word}>{word}</span>
          </li>
        );
      })}
    </ol>
  );
}
