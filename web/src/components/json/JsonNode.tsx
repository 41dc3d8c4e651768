import { useState } from 'react';
import { isNumber, writeJson } from '../../format/json.ts';
import { copyText } from '../../hooks/copy-text.ts';
import { IconButton } from '../../ui/Button.tsx';
import { Icon, type IconName } from '../../ui/Icon.tsx';
import { Menu, MenuItem } from '../../ui/Menu.tsx';
import { notify } from '../../ui/Toasts.tsx';
import styles from './JsonViewer.module.css';
import {
  entriesOf,
  isContainer,
  type JsonPath,
  leafText,
  type Matches,
  pathKey,
  pathText,
  shownLeaf,
} from './json-paths.ts';

/** What all nodes of a tree share. */
export type JsonTree = {
  toggled: ReadonlyMap<string, boolean>;
  matches: Matches | null;
  openDepth: number;
  onToggle: (key: string, isOpen: boolean) => void;
  leafAction: LeafAction | undefined;
};

/** What can be done with a leaf value, besides copying it. */
export type LeafAction = { title: string; icon: IconName; run: (path: JsonPath, value: unknown) => void };

type JsonNodeProps = { name: string | number | null; value: unknown; path: JsonPath; tree: JsonTree };

/** Members of long lists are shown a page at a time. */
const pageSize = 100;

export function JsonNode({ name, value, path, tree }: JsonNodeProps) {
  const [shown, setShown] = useState(pageSize);
  const key = pathKey(path);
  const isFound = tree.matches?.found.has(key) ?? false;
  if (!isContainer(value)) return <Leaf name={name} value={value} path={path} tree={tree} isFound={isFound} />;
  const entries = entriesOf(value);
  const isLong = entries.length > 30 && path.length >= tree.openDepth - 1;
  const isOpen = tree.matches?.above.has(key) || (tree.toggled.get(key) ?? (path.length < tree.openDepth && !isLong));
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return (
    <div role="treeitem" aria-expanded={isOpen} aria-selected={false} tabIndex={-1} className={styles.node}>
      <div className={`${styles.line} ${isFound ? styles.match : ''}`}>
        <button
          type="button"
          className={styles.toggle}
          aria-label={`${isOpen ? 'Close' : 'Open'} ${pathText(path) || 'the value'}`}
          onClick={() => tree.onToggle(key, !isOpen)}
        >
          <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} size={12} />
        </button>
        <Key name={name} />
        <span className={styles.faint}>
          {isOpen ? open : `${open} ${summaryOf(entries.length, Array.isArray(value))} ${close}`}
        </span>
        <Actions value={value} path={path} leafAction={undefined} />
      </div>
      {isOpen && (
        // biome-ignore lint/a11y/useSemanticElements: a group of a tree
        <div role="group" className={styles.members}>
          {entries.slice(0, shown).map(([step, member]) => (
            <JsonNode key={step} name={step} value={member} path={[...path, step]} tree={tree} />
          ))}
          {entries.length > shown && (
            <button type="button" className={styles.more} onClick={() => setShown(shown + 10 * pageSize)}>
              Show more of {entries.length}
            </button>
          )}
        </div>
      )}
      {isOpen && <div className={`${styles.line} ${styles.faint} ${styles.close}`}>{close}</div>}
    </div>
  );
}

function Leaf({ name, value, path, tree, isFound }: JsonNodeProps & { isFound: boolean }) {
  const [isWhole, setIsWhole] = useState(false);
  const text = shownLeaf(value);
  const isCut = text.length > textMax && !isWhole;
  const type = value === null || typeof value === 'boolean' ? 'word' : isNumber(value) ? 'number' : 'string';
  return (
    <div
      role="treeitem"
      aria-selected={false}
      tabIndex={-1}
      className={`${styles.line} ${styles.leaf} ${isFound ? styles.match : ''}`}
    >
      <Key name={name} />
      <span className={`${styles.value} ${styles[type]}`}>
        {isCut ? text.slice(0, textMax) : text}
        {isCut && (
          <button type="button" className={styles.more} onClick={() => setIsWhole(true)}>
            … show all {text.length.toLocaleString('en')} characters
          </button>
        )}
      </span>
      <Actions value={value} path={path} leafAction={tree.leafAction} />
    </div>
  );
}

const textMax = 2000;

function Key({ name }: { name: string | number | null }) {
  return name === null ? null : <span className={styles.key}>{name}:</span>;
}

type ActionsProps = { value: unknown; path: JsonPath; leafAction: LeafAction | undefined };

function Actions({ value, path, leafAction }: ActionsProps) {
  const copy = (text: string, what: string) =>
    void copyText(text).then((isCopied) => isCopied && notify(`${what} copied`));
  return (
    <span className={styles.actions}>
      <Menu
        trigger={
          <IconButton
            label={`Actions for ${pathText(path) || 'the value'}`}
            icon="more"
            className={styles.action ?? ''}
          />
        }
      >
        <MenuItem
          icon="copy"
          onSelect={() => copy(isContainer(value) ? writeJson(value, 2) : leafText(value), 'Value')}
        >
          Copy value
        </MenuItem>
        <MenuItem icon="code" onSelect={() => copy(pathText(path), 'Path')}>
          Copy path
        </MenuItem>
        {leafAction && (
          <MenuItem icon={leafAction.icon} onSelect={() => leafAction.run(path, value)}>
            {leafAction.title}
          </MenuItem>
        )}
      </Menu>
    </span>
  );
}

function summaryOf(count: number, isList: boolean): string {
  if (count === 0) return '';
  return isList ? `${count} ${count === 1 ? 'item' : 'items'}` : `${count} ${count === 1 ? 'key' : 'keys'}`;
}
