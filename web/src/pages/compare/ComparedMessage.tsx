import type { Message } from '../../api/conversations.ts';
import { messageKey } from '../../features/chat/align-messages.ts';
import { MessageParts } from '../../features/chat/MessageParts.tsx';
import { Badge } from '../../ui/Badge.tsx';
import styles from './ComparePage.module.css';

type ComparedMessageProps = {
  message: Message;
  /** The message of the first call in this place. */
  first?: Message | undefined;
};

/** A message; if the first call has another one in its place, what differs is marked. */
export function ComparedMessage({ message, first }: ComparedMessageProps) {
  const { name, choice, parts } = message;
  const isOther = first !== undefined && messageKey(first) !== messageKey(message);
  return (
    <>
      {name && <p className={styles.note}>{name}</p>}
      {choice != null && <Badge tone="accent">answer {choice + 1}</Badge>}
      <MessageParts parts={parts} before={isOther ? first.parts : undefined} isBeside textMax={600} />
    </>
  );
}
