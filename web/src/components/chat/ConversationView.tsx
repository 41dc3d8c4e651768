import { useState } from 'react';
import type { Conversation, Message, MessagePart } from '../../api/conversations.ts';
import { Badge } from '../../ui/Badge.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { JsonViewer } from '../json/JsonViewer.tsx';
import styles from './ConversationView.module.css';
import { MediaView } from './MediaView.tsx';
import { VariableText } from './VariableText.tsx';

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
      {parts.length === 0 && <p className={styles.none}>no content</p>}
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no ids and do not move
        <Part key={index} part={part} hasVariables={hasVariables} />
      ))}
    </li>
  );
}

function Part({ part, hasVariables }: { part: MessagePart; hasVariables: boolean }) {
  switch (part.type) {
    case 'text':
      return hasVariables ? <VariableText text={part.text} /> : <LongText text={part.text} />;
    case 'refusal':
      return (
        <>
          <Badge tone="warning">refused</Badge>
          <LongText text={part.text} />
        </>
      );
    case 'reasoning':
      return (
        <details className={styles.reasoning}>
          <summary>Reasoning</summary>
          <LongText text={part.text} />
        </details>
      );
    case 'tool_call':
      return <Json label={`Call of ${part.name}`} id={part.id} value={part.arguments} />;
    case 'tool_result':
      return (
        <>
          {(part.name || part.id) && (
            <p className={styles.id}>
              {part.name} {part.id}
            </p>
          )}
          {typeof part.result === 'string' ? (
            <LongText text={part.result} />
          ) : (
            <Json label="Result" value={part.result} />
          )}
        </>
      );
    case 'json':
      return <Json label="JSON" value={part.value} />;
    default:
      return <MediaView media={part} />;
  }
}

function Json({ label, id, value }: { label: string; id?: string | null | undefined; value: unknown }) {
  return (
    <div className={styles.tool}>
      {id && <p className={styles.id}>{id}</p>}
      <JsonViewer label={label} value={value ?? null} />
    </div>
  );
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
