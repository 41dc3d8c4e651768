import { recordOf, writeJson } from '../../../format/json.ts';
import { useSearchState } from '../../../hooks/use-search-state.ts';
import { IconButton } from '../../../ui/Button.tsx';
import styles from './ViewConditions.module.css';
import { parseWhere, type Where, whereText } from './view-state.ts';

/** Conditions that the filter cannot express, such as those of views that the SDKs saved. Each can be removed. */
export function ViewConditions() {
  const [search, change] = useSearchState();
  const where = parseWhere(search.where);
  const conditions = conditionsOf(where);
  if (conditions.length === 0) return null;
  return (
    <ul className={styles.list} aria-label="Other conditions">
      {conditions.map(({ text, without }) => (
        <li key={text} className={styles.condition}>
          <code className={styles.text} title={text}>
            {text}
          </code>
          <IconButton
            className={styles.remove ?? ''}
            label={`Remove the condition ${text}`}
            hint="Remove this condition"
            icon="close"
            onClick={() => change({ where: whereText(without) })}
          />
        </li>
      ))}
    </ul>
  );
}

function conditionsOf({ filter, operands }: Where): { text: string; without: Where }[] {
  const lists = Object.entries(filter).map(([name, value]) => ({
    text: `${name}: ${Array.isArray(value) ? value.join(', ') : String(value)}`,
    without: { filter: Object.fromEntries(Object.entries(filter).filter(([each]) => each !== name)), operands },
  }));
  const others = operands.map((operand, index) => ({
    text: wordsOf(operand),
    without: { filter, operands: operands.filter((_, each) => each !== index) },
  }));
  return [...lists, ...others];
}

/** A condition in short: `contains(inputs.text, "a")`. */
function wordsOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(wordsOf).join(', ');
  const [[key, member] = ['', value]] = Object.entries(recordOf(value));
  if (key === '$getField') return String(member);
  if (key === '$literal') return writeJson(member);
  if (key === '$convert') return wordsOf(recordOf(member).input);
  if (key === '$contains') {
    const { input, substr } = recordOf(member);
    return `${wordsOf(input)} contains ${wordsOf(substr)}`;
  }
  return key.startsWith('$') ? `${key.slice(1)}(${wordsOf(member)})` : writeJson(value);
}
