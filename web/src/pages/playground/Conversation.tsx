import { useEffect, useRef } from 'react';
import { AnswerView } from './AnswerView.tsx';
import styles from './Conversation.module.css';
import { Said } from './Said.tsx';
import type { Message, Turn } from './use-chat.ts';

type ConversationProps = {
  /** Of two conversations, the one that stays in view where they are below each other. */
  isMain: boolean;
  label: string;
  /** Messages of a call that the conversation continues. */
  before: Message[];
  turns: Turn[];
  onRetry: () => void;
};

/** The messages of one side. It follows an answer that arrives while its end is in view. */
export function Conversation({ isMain, label, before, turns, onRetry }: ConversationProps) {
  const scroller = useRef<HTMLElement>(null);
  const follows = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of the turns may have made it longer
  useEffect(() => {
    const element = scroller.current;
    if (element && follows.current) element.scrollTop = element.scrollHeight;
  }, [turns]);
  useEffect(() => {
    const element = scroller.current!;
    const isWithPage = getComputedStyle(element).overflowY === 'visible';
    if (isMain && isWithPage && turns.length > 0) element.lastElementChild?.scrollIntoView({ block: 'start' });
  }, [isMain, turns.length]);
  const onScroll = () => {
    const { scrollTop, clientHeight, scrollHeight } = scroller.current!;
    follows.current = scrollHeight - scrollTop - clientHeight < 60;
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section ref={scroller} className={styles.conversation} aria-label={label} tabIndex={0} onScroll={onScroll}>
      <h2 className={styles.title}>{label}</h2>
      {before.length + turns.length === 0 && <p className={styles.hint}>Write a message below.</p>}
      {before.map((message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a message is its position
        <Said key={index} message={message} />
      ))}
      {turns.map(({ user, model, answer }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a turn is its position
        <div key={index} className={styles.turn}>
          {user !== null && <Said message={{ role: 'user', content: user }} />}
          <div>
            <p className={styles.role} title={model}>
              {shortName(model)}
            </p>
            <AnswerView answer={answer} onRetry={index === turns.length - 1 ? onRetry : undefined} />
          </div>
        </div>
      ))}
    </section>
  );
}

/** A model without the place where it is stored: `wandb-artifact:///entity/project/name:step3` is `name:step3`. */
export function shortName(model: string): string {
  return /^(wandb-artifact|weave):\/\/\//.test(model) ? model.slice(model.lastIndexOf('/') + 1) : model;
}
