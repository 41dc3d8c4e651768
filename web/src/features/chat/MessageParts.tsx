import { createContext, useContext, useState } from 'react';
import type { Message, MessagePart } from '../../api/conversations.ts';
import { DiffLines } from '../../components/diff/Diff.tsx';
import { TextDiff } from '../../components/diff/TextDiff.tsx';
import { JsonViewer } from '../../components/json/JsonViewer.tsx';
import { comparable, writeJson } from '../../format/json.ts';
import { Badge } from '../../ui/Badge.tsx';
import styles from './ConversationView.module.css';
import { MediaView } from './MediaView.tsx';
import { VariableText } from './VariableText.tsx';

type MessagePartsProps = {
  parts: Message['parts'];
  /** Marks the variables of a prompt. */
  hasVariables?: boolean;
  /** The message that it is compared with: what differs in it is marked. */
  before?: Message['parts'] | undefined;
  /** `before` is shown beside it. Otherwise what only `before` has is shown as well. */
  isBeside?: boolean;
  /** Longer texts are cut until someone wants to see all. */
  textMax?: number;
};

const TextMax = createContext(0);

/** What a message consists of. Everything is shown as text, and nothing is loaded from other servers. */
export function MessageParts({
  parts,
  hasVariables = false,
  before,
  isBeside = false,
  textMax = 6000,
}: MessagePartsProps) {
  const old = before === undefined ? [] : counterparts(parts, before);
  const gone = before === undefined || isBeside ? [] : before.filter((part) => !old.includes(part));
  return (
    <TextMax value={textMax}>
      {parts.length === 0 && <p className={styles.none}>no content</p>}
      {gone.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no ids and do not move
        <div key={index}>
          <Badge tone="error">removed</Badge>
          <Part part={part} hasVariables={hasVariables} />
        </div>
      ))}
      {parts.map((part, index) => {
        const from = old[index];
        const isChanged = from !== undefined && comparable(from) !== comparable(part);
        return isChanged ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: as above
          <ChangedPart key={index} part={part} before={from} isBeside={isBeside} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: as above
          <Part key={index} part={part} hasVariables={hasVariables} />
        );
      })}
    </TextMax>
  );
}

/** For each part, the one of the other message that it is compared with: the next of its type. */
function counterparts(parts: Message['parts'], before: Message['parts']): (MessagePart | undefined)[] {
  const left = [...before];
  return parts.map(({ type }) => {
    const index = left.findIndex((part) => part.type === type);
    return index === -1 ? undefined : left.splice(index, 1)[0];
  });
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
          <ResultOf part={part} />
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

type ChangedPartProps = { part: MessagePart; before: MessagePart; isBeside: boolean };

/** A part beside one of the same type, which is another. */
function ChangedPart({ part, before, isBeside }: ChangedPartProps) {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return (
        <>
          {part.type === 'refusal' && <Badge tone="warning">refused</Badge>}
          <TextDiff before={textOf(before)} after={part.text} isBeside={isBeside} />
        </>
      );
    case 'reasoning':
      return (
        <details className={styles.reasoning}>
          <summary>Reasoning</summary>
          <TextDiff before={textOf(before)} after={part.text} isBeside={isBeside} />
        </details>
      );
    case 'tool_call': {
      const old = before.type === 'tool_call' ? before : null;
      if (old?.name === part.name && comparable(old.arguments) === comparable(part.arguments)) {
        return <Part part={part} hasVariables={false} />;
      }
      return (
        <div className={styles.tool}>
          <p className={styles.called}>
            Call of {old && old.name !== part.name ? <TextDiff before={old.name} after={part.name} /> : part.name}
          </p>
          <DiffLines before={linesOf(old?.arguments)} after={linesOf(part.arguments)} />
        </div>
      );
    }
    case 'tool_result': {
      const old = before.type === 'tool_result' ? before.result : null;
      if (comparable(old) === comparable(part.result)) return <Part part={part} hasVariables={false} />;
      return (
        <>
          <ResultOf part={part} />
          {typeof part.result === 'string' && typeof old === 'string' ? (
            <TextDiff before={old} after={part.result} isBeside={isBeside} />
          ) : (
            <DiffLines before={linesOf(old)} after={linesOf(part.result)} />
          )}
        </>
      );
    }
    case 'json':
      return <DiffLines before={linesOf(before.type === 'json' ? before.value : null)} after={linesOf(part.value)} />;
    default:
      return (
        <>
          {!isBeside && (
            <>
              <Badge tone="error">removed</Badge>
              <Part part={before} hasVariables={false} />
            </>
          )}
          <MediaView media={part} />
        </>
      );
  }
}

function ResultOf({ part: { name, id } }: { part: Extract<MessagePart, { type: 'tool_result' }> }) {
  return name || id ? (
    <p className={styles.id}>
      {name} {id}
    </p>
  ) : null;
}

function Json({ label, id, value }: { label: string; id?: string | null | undefined; value: unknown }) {
  return (
    <div className={styles.tool}>
      {id && <p className={styles.id}>{id}</p>}
      <JsonViewer label={label} value={value ?? null} />
    </div>
  );
}

function LongText({ text }: { text: string }) {
  const textMax = useContext(TextMax);
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

function textOf(part: MessagePart): string {
  return 'text' in part ? part.text : '';
}

function linesOf(value: unknown): string[] {
  return writeJson(value ?? null, 2).split('\n');
}
