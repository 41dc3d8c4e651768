import type { Message } from '../../api/conversations.ts';
import { alignMessages, messageKey } from './align-messages.ts';
import styles from './ConversationView.module.css';
import { MessageParts } from './MessageParts.tsx';

type AnswerProps = {
  messages: Message[];
  /** An answer that is shown beside it: what differs from it is marked. */
  first?: Message[] | null;
};

/** What a model answered, without what it was asked. */
export function Answer({ messages, first = null }: AnswerProps) {
  const rows = alignMessages([first ?? [], messages]).filter(([, message]) => message !== undefined);
  return (
    <ol className={styles.conversation} aria-label="Answer">
      {rows.map(([old, message], index) => {
        const isOther = old !== undefined && messageKey(old) !== messageKey(message!);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages have no ids and do not move
          <li key={index} className={`${styles.message} ${styles.answer}`} data-role={message!.role}>
            {rows.length > 1 && <span className={styles.role}>{message!.role}</span>}
            <MessageParts parts={message!.parts} before={isOther ? old.parts : undefined} isBeside />
          </li>
        );
      })}
    </ol>
  );
}
