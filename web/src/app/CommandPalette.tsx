import { Dialog } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { projectsQuery } from '../api/projects.ts';
import { shortcutText } from '../hooks/use-hotkeys.ts';
import { Icon } from '../ui/Icon.tsx';
import { Kbd } from '../ui/Kbd.tsx';
import { projectUrl } from '../urls.ts';
import styles from './CommandPalette.module.css';
import { type Command, useOfferedCommands } from './commands.ts';

/** Finds pages, projects and actions by name. */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Popup className={styles.popup} aria-label="Command palette">
          <Palette onClose={onClose} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Palette({ onClose }: { onClose: () => void }) {
  const id = useId();
  const [text, setText] = useState('');
  const [position, setPosition] = useState(0);
  const found = search([...useOfferedCommands(), ...useProjectCommands()], text);
  const active = found[Math.min(position, found.length - 1)];
  const run = (command: Command) => {
    onClose();
    command.run();
  };
  const move = (step: number) => setPosition((position + step + found.length) % Math.max(1, found.length));
  const keys: Record<string, () => void> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => active && run(active),
  };
  return (
    <>
      <div className={styles.search}>
        <Icon name="search" />
        <input
          className={styles.input}
          role="combobox"
          aria-label="Search commands"
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={active && `${id}-${found.indexOf(active)}`}
          placeholder="Go to a page or a project, or run a command"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setPosition(0);
          }}
          onKeyDown={(event) => {
            const action = keys[event.key];
            if (!action) return;
            event.preventDefault();
            action();
          }}
        />
      </div>
      <div className={styles.list} id={id} role="listbox" aria-label="Commands">
        {found.length === 0 && <p className={styles.none}>Nothing matches “{text}”.</p>}
        {found.map((command, index) => (
          <Item
            key={`${command.group} ${command.title}`}
            id={`${id}-${index}`}
            command={command}
            heading={command.group === found[index - 1]?.group ? null : command.group}
            isActive={command === active}
            onPoint={() => setPosition(index)}
            onRun={() => run(command)}
          />
        ))}
      </div>
    </>
  );
}

/** The projects are read when the palette opens. */
function useProjectCommands(): Command[] {
  const navigate = useNavigate();
  const { data: projects = [] } = useQuery(projectsQuery);
  return projects.map((each) => ({
    ...{ title: each.project_id, group: 'Projects', icon: 'cube' },
    run: () => void navigate({ to: projectUrl(each) }),
  }));
}

type ItemProps = {
  id: string;
  command: Command;
  heading: string | null;
  isActive: boolean;
  onPoint: () => void;
  onRun: () => void;
};

function Item({ id, command, heading, isActive, onPoint, onRun }: ItemProps) {
  return (
    <>
      {heading !== null && (
        <div className={styles.heading} role="presentation">
          {heading}
        </div>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled by the search field, which keeps the focus */}
      <div
        id={id}
        role="option"
        tabIndex={-1}
        aria-selected={isActive}
        className={styles.item}
        onPointerMove={onPoint}
        onClick={onRun}
        ref={(element) => {
          if (isActive) element?.scrollIntoView({ block: 'nearest' });
        }}
      >
        <span className={styles.icon}>{command.icon && <Icon name={command.icon} />}</span>
        <span className={styles.title}>{command.title}</span>
        {command.shortcut && <Kbd>{shortcutText(command.shortcut)}</Kbd>}
      </div>
    </>
  );
}

/** Commands that contain every word, those whose title begins with the text first; groups stay together. */
function search(commands: Command[], text: string): Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = commands.filter(({ title, keywords = '', group }) => {
    const searched = `${title} ${keywords} ${group}`.toLowerCase();
    return words.every((word) => searched.includes(word));
  });
  const rank = ({ title }: Command) => (title.toLowerCase().startsWith(words[0] ?? '') ? 0 : 1);
  const groups = Map.groupBy(matching, ({ group }) => group);
  return [...groups.values()]
    .map((group) => group.toSorted((a, b) => rank(a) - rank(b)))
    .sort((a, b) => rank(a[0]!) - rank(b[0]!))
    .flat();
}
