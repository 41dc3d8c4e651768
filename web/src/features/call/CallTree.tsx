import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { callTitle, costOf, tokensOf, unpricedOf } from '../../api/call-fields.ts';
import { formatCount, formatDuration, formatShort } from '../../format/numbers.ts';
import { Icon } from '../../ui/Icon.tsx';
import { Cost } from '../cost/Cost.tsx';
import { CallStatusMark } from './CallStatusMark.tsx';
import styles from './CallTree.module.css';
import { type CallNode, openNodes, pathTo, pathToFailure, statusInTree, type CallTree as Tree } from './call-tree.ts';

const rowHeight = 30;
/** Larger traces are closed at first, except for the way to the chosen call and to the first failure. */
const openUpTo = 300;

type CallTreeProps = {
  tree: Tree;
  /** Whether no more calls are on their way. */
  isWhole: boolean;
  activeId: string;
  onChoose: (id: string) => void;
};

/** The calls of a trace with their place in time. Only the visible ones are in the document. */
export function CallTree({ tree, isWhole, activeId, onChoose }: CallTreeProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const opened = useMemo(() => {
    const active = tree.byId.get(activeId);
    return new Set([...(active ? pathTo(active).slice(0, -1) : []), ...pathToFailure(tree)]);
  }, [tree, activeId]);
  const isSmall = tree.nodes.length <= openUpTo;
  const isOpen = (node: CallNode) => toggled.get(node.call.id) ?? (isSmall || node.parent === null || opened.has(node));
  const nodes = openNodes(tree, isOpen);
  const virtualizer = useVirtualizer({
    count: nodes.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 20,
  });
  const activeIndex = nodes.findIndex(({ call }) => call.id === activeId);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when another call is chosen
  useEffect(() => {
    if (activeIndex >= 0) virtualizer.scrollToIndex(activeIndex, { align: 'auto' });
  }, [activeId]);
  const toggle = (node: CallNode, open = !isOpen(node)) => setToggled(new Map(toggled).set(node.call.id, open));
  const onKeyDown = (event: KeyboardEvent) => {
    const node = nodes[activeIndex];
    const chooseAt = (index: number) => nodes[index] && onChoose(nodes[index].call.id);
    const keys: Record<string, () => void> = {
      ArrowDown: () => chooseAt(activeIndex + 1),
      ArrowUp: () => chooseAt(activeIndex - 1),
      ArrowRight: () => node && toggle(node, true),
      ArrowLeft: () =>
        node &&
        (isOpen(node) && node.children.length > 0 ? toggle(node, false) : node.parent && onChoose(node.parent.call.id)),
      Home: () => chooseAt(0),
      End: () => chooseAt(nodes.length - 1),
    };
    const action = keys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  };
  return (
    <>
      <div className={styles.head}>
        <h3>
          Trace{' '}
          <span className={styles.count}>
            {isWhole
              ? `${formatCount(tree.nodes.length)} calls`
              : `first ${formatCount(tree.nodes.length)} calls, loading…`}
          </span>
        </h3>
        <span className={styles.count}>{formatDuration(tree.durationMs)}</span>
      </div>
      <div
        className={styles.scroller}
        ref={scroller}
        role="tree"
        aria-label="Calls of the trace"
        aria-activedescendant={activeIndex >= 0 ? `call-${activeId}` : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <div className={styles.rows} style={{ height: virtualizer.getTotalSize() }} role="presentation">
          {virtualizer.getVirtualItems().map(({ index, start }) => {
            const node = nodes[index]!;
            return (
              <TreeRow
                key={node.call.id}
                node={node}
                top={start}
                isActive={node.call.id === activeId}
                isOpen={isOpen(node)}
                durationMs={tree.durationMs}
                onChoose={() => onChoose(node.call.id)}
                onToggle={() => toggle(node)}
              />
            );
          })}
        </div>
      </div>
    </>
  );
}

type TreeRowProps = {
  node: CallNode;
  top: number;
  isActive: boolean;
  isOpen: boolean;
  durationMs: number;
  onChoose: () => void;
  onToggle: () => void;
};

function TreeRow({ node, top, isActive, isOpen, durationMs, onChoose, onToggle }: TreeRowProps) {
  const { call, depth, start, end, children } = node;
  const status = statusInTree(node);
  const tokens = tokensOf(call);
  const cost = costOf(call);
  const unpriced = unpricedOf(call);
  const left = (start / durationMs) * 100;
  const width = (((end ?? durationMs) - start) / durationMs) * 100;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys for all of its rows
    <div
      id={`call-${call.id}`}
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={isActive}
      aria-expanded={children.length > 0 ? isOpen : undefined}
      tabIndex={-1}
      className={styles.row}
      style={{ transform: `translateY(${top}px)` }}
      onClick={onChoose}
    >
      <span className={styles.line} style={{ paddingLeft: Math.min(depth, 20) * 14 }}>
        {children.length > 0 ? (
          <button
            type="button"
            tabIndex={-1}
            className={styles.toggle}
            aria-label={isOpen ? 'Close' : `Open ${children.length} calls below`}
            onClick={(event) => {
              event.stopPropagation();
              onToggle();
            }}
          >
            <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} size={12} />
          </button>
        ) : (
          <span className={styles.toggle} />
        )}
        <CallStatusMark status={status} exception={call.exception ?? null} />
        <span className={styles.name}>{callTitle(call)}</span>
        {!isOpen && children.length > 0 && <span className={styles.faint}>+{children.length}</span>}
        <span className={styles.numbers}>
          {tokens && <span title={`${tokens.total} tokens`}>{formatShort(tokens.total)} tok</span>}
          {((cost !== null && cost > 0) || unpriced.isAtLeast) && <Cost cost={cost} unpriced={unpriced} />}
          <span className={styles.duration}>{end === null ? 'running' : formatDuration(end - start)}</span>
        </span>
      </span>
      <span className={styles.time}>
        <span
          className={`${styles.bar} ${styles[status]}`}
          style={{ left: `${left}%`, width: `max(2px, ${width}%)` }}
        />
      </span>
    </div>
  );
}
