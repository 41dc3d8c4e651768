import type { ReactNode } from 'react';
import { Button, IconButton } from '../ui/Button.tsx';
import styles from './FieldList.module.css';

type FieldListProps<Item> = {
  title: string;
  /** What one of them is called, such as `scorer`. */
  noun: string;
  hint: string;
  items: Item[];
  /** What is added. */
  next: Item;
  onChange: (items: Item[]) => void;
  children: (item: Item, change: (item: Item) => void) => ReactNode;
  /** Below the line. */
  more?: (item: Item, change: (item: Item) => void) => ReactNode;
};

/** Lines of fields, of which the user can have any number. */
export function FieldList<Item>({ title, noun, hint, items, next, onChange, children, more }: FieldListProps<Item>) {
  const changeAt = (index: number) => (changed: Item) => onChange(items.with(index, changed));
  return (
    <fieldset className={styles.list}>
      <legend className={styles.legend}>{title}</legend>
      <p className={styles.hint}>{hint}</p>
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no ids
        <fieldset key={index} aria-label={`${noun} ${index + 1}`} className={styles.line}>
          {children(item, changeAt(index))}
          <IconButton
            label={`Remove ${noun} ${index + 1}`}
            icon="close"
            onClick={() => onChange(items.filter((_, at) => at !== index))}
          />
          {more?.(item, changeAt(index))}
        </fieldset>
      ))}
      <div>
        <Button icon="plus" onClick={() => onChange([...items, next])}>
          Add a {noun}
        </Button>
      </div>
    </fieldset>
  );
}
