import type { Conversation, Message } from '../../api/conversations.ts';
import { Badge } from '../../ui/Badge.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import styles from './ConversationView.module.css';
import { MessageParts } from './MessageParts.tsx';

type ConversationViewProps = {
  conversation: Pick<Conversation, 'input' | 'output'>;
  /** Marks the variables of a prompt. */
  hasVariables?: boolean;
};

/** Messages as people read them. Everything in them is shown as text, and nothing is loaded from other servers. */
export function ConversationView({ conversation: { input, output }, hasVariables = false }: ConversationViewProps) {
  return (
    <ol className={styles.conversation} aria-label="Conversation">
      {input.map((message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages have no ids and do not move
        <MessageView key={index} message={message} hasVariables={hasVariables} />
      ))}
      {output.map((message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <MessageView key={`answer ${index}`} message={message} isAnswer />
      ))}
    </ol>
  );
}

type MessageViewProps = { message: Message; isAnswer?: boolean; hasVariables?: boolean };

function MessageView({ message, isAnswer = false, hasVariables = false }: MessageViewProps) {
  const { role, name, choice, parts } = message;
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  return (
    <li className={`${styles.message} ${isAnswer ? styles.answer : ''}`} data-role={role}>
      <header className={styles.head}>
        <span className={styles.role}>{role}</span>
        {name && <span className={styles.name}>{name}</span>}
        {isAnswer && <Badge tone="accent">{choice == null ? 'answer' : `answer ${choice + 1}`}</Badge>}
        {text !== '' && (
          <span className={styles.copy}>
            <CopyButton text={text} label="Copy message" />
          </span>
        )}
      </header>
      <MessageParts parts={parts} hasVariables={hasVariables} />
    </li>
  );
}
