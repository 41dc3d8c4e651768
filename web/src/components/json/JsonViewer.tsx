import { useDeferredValue, useMemo, useState } from 'react';
import { writeJson } from '../../format/json.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { JsonNode, type JsonTree, type LeafAction } from './JsonNode.tsx';
import styles from './JsonViewer.module.css';
import { hasManyValues, type JsonPath, searchJson } from './json-paths.ts';

type JsonViewerProps = {
  value: unknown;
  /** Read out as its name, and the title of its toolbar. */
  label: string;
  /** The path of the value itself, such as `inputs`: copied paths begin with it. */
  root?: JsonPath;
  leafAction?: LeafAction;
  /** How deep it is open at first. */
  openDepth?: number;
};

/** A JSON value as a tree, with search, and copying of values and their paths. Everything in it is shown as text. */
export function JsonViewer({ value, label, root = noPath, leafAction, openDepth = 2 }: JsonViewerProps) {
  const [text, setText] = useState('');
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const sought = useDeferredValue(text.trim());
  const matches = useMemo(() => (sought === '' ? null : searchJson(value, sought, root)), [value, sought, root]);
  const isLarge = useMemo(() => hasManyValues(value), [value]);
  const tree: JsonTree = {
    toggled,
    matches,
    openDepth: openDepth + root.length,
    leafAction,
    onToggle: (key, isOpen) => setToggled(new Map(toggled).set(key, isOpen)),
  };
  return (
    <section className={styles.viewer} aria-label={label}>
      <header className={styles.head}>
        <h3 className={styles.label}>{label}</h3>
        {isLarge && (
          <TextField
            label={`Search ${label}`}
            isLabelHidden
            type="search"
            placeholder="Search"
            className={styles.search ?? ''}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
        {matches && (
          <span className={styles.found} role="status">
            {matches.isCut ? `${matches.found.size}+` : matches.found.size} found
          </span>
        )}
        <CopyButton label={`Copy ${label}`} text={() => writeJson(value, 2)} />
      </header>
      <div className={styles.tree} role="tree" aria-label={label}>
        <JsonNode name={null} value={value} path={root} tree={tree} />
      </div>
    </section>
  );
}

const noPath: JsonPath = [];
