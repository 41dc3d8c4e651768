import { useState } from 'react';
import { Badge } from '../../ui/Badge.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { JsonViewer } from '../json/JsonViewer.tsx';
import styles from './ConversationView.module.css';
import type { Conversation, Message, MessagePart } from './messages.ts';

/** Messages as people read them. Everything in them is shown as text, and nothing is loaded from other servers. */
export function ConversationView({ conversation: { asked, answered } }: { conversation: Conversation }) {
  return (
    <ol className={styles.conversation} aria-label="Conversation">
      {asked.map((message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages have no ids and do not move
        <MessageView key={index} message={message} />
      ))}
      {answered.map((message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <MessageView key={`answer ${index}`} message={message} isAnswer />
      ))}
    </ol>
  );
}

function MessageView({ message, isAnswer = false }: { message: Message; isAnswer?: boolean }) {
  const { role, name, parts } = message;
  const text = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
  return (
    <li className={`${styles.message} ${isAnswer ? styles.answer : ''}`} data-role={role}>
      <header className={styles.head}>
        <span className={styles.role}>{role}</span>
        {name !== null && <span className={styles.name}>{name}</span>}
        {isAnswer && <Badge tone="accent">answer</Badge>}
        {text !== '' && (
          <span className={styles.copy}>
            <CopyButton text={text} label="Copy message" />
          </span>
        )}
      </header>
      {parts.length === 0 && <p className={styles.none}>no content</p>}
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no ids and do not move
        <Part key={index} part={part} />
      ))}
    </li>
  );
}

function Part({ part }: { part: MessagePart }) {
  switch (part.kind) {
    case 'text':
      return <LongText text={part.text} />;
    case 'reasoning':
      return (
        <details className={styles.reasoning}>
          <summary>Reasoning</summary>
          <LongText text={part.text} />
        </details>
      );
    case 'media':
      return <Media part={part} />;
    case 'toolCall':
      return (
        <div className={styles.tool}>
          <JsonViewer label={`Call of ${part.name}`} value={part.input ?? {}} />
        </div>
      );
    case 'toolResult':
      return typeof part.output === 'string' ? (
        <LongText text={part.output} />
      ) : (
        <div className={styles.tool}>
          <JsonViewer label="Result" value={part.output ?? null} />
        </div>
      );
    case 'other':
      return (
        <div className={styles.tool}>
          <JsonViewer label="Part of another kind" value={part.value} />
        </div>
      );
    default:
      return part satisfies never;
  }
}

const textMax = 6000;

function LongText({ text }: { text: string }) {
  const [isWhole, setIsWhole] = useState(false);
  const isCut = text.length > textMax && !isWhole;
  return (
    <p className={styles.text}>
      {isCut ? text.slice(0, textMax) : text}
      {isCut && (
        <button type="button" className={styles.more} onClick={() => setIsWhole(true)}>
          … show all {text.length.toLocaleString('en')} characters
        </button>
      )}
    </p>
  );
}

function Media({ part }: { part: Extract<MessagePart, { kind: 'media' }> }) {
  const isInline = /^data:(image|audio)\//.test(part.source);
  if (!isInline) {
    return (
      <p className={styles.none}>
        {part.type} at <code className={styles.address}>{part.source}</code>, which is not loaded
      </p>
    );
  }
  // biome-ignore lint/a11y/useMediaCaption: recordings of payloads have none
  if (part.type === 'audio') return <audio controls src={part.source} className={styles.audio} />;
  return <img src={part.source} alt="Part of the message" className={styles.image} />;
}
