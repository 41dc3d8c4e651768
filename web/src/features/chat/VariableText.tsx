import conversationStyles from './ConversationView.module.css';
import styles from './VariableText.module.css';

/** The text of a prompt with its variables marked: `{name}`, and `{{ name }}` of other template languages. */
export function VariableText({ text }: { text: string }) {
  const pieces = text.split(variable);
  return (
    <p className={conversationStyles.text}>
      {pieces.map((piece, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces do not move
        <Piece key={index} text={piece} isVariable={index % 2 === 1} />
      ))}
    </p>
  );
}

/** What is between the matches comes at even positions, the matches at odd ones. */
const variable = /(\{\{\s*[\p{L}_][\p{L}\p{N}_.]*\s*\}\}|\{[\p{L}_][\p{L}\p{N}_.]*\})/u;

function Piece({ text, isVariable }: { text: string; isVariable: boolean }) {
  return isVariable ? <mark className={styles.variable}>{text}</mark> : text;
}
