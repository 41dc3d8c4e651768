import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { projectsQuery } from '../api/projects.ts';
import { shortcutText } from '../hooks/use-hotkeys.ts';
import dialogStyles from '../ui/Dialog.module.css';
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
        <Dialog.Backdrop className={dialogStyles.backdrop} />
        <Dialog.Popup className={styles.popup} aria-label="Command palette">
          <Palette onClose={onClose} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [offered, projects] = [useOfferedCommands(), useProjectCommands()];
  const groups = useMemo(() => search([...offered, ...projects], text), [offered, projects, text]);
  const run = (command: Command) => {
    onClose();
    command.run();
  };
  return (
    <Autocomplete.Root
      inline
      open
      mode="none"
      autoHighlight="always"
      keepHighlight
      items={groups}
      itemToStringValue={({ title }) => title}
      value={text}
      onValueChange={(value, { reason }) => reason !== 'item-press' && setText(value)}
    >
      <div className={styles.search}>
        <Icon name="search" />
        <Autocomplete.Input
          className={styles.input}
          aria-label="Search commands"
          placeholder="Go to a page or a project, or run a command"
        />
      </div>
      <Autocomplete.Empty>
        <p className={styles.none}>Nothing matches “{text}”.</p>
      </Autocomplete.Empty>
      <Autocomplete.List className={styles.list} aria-label="Commands">
        {({ title, items }: CommandGroup) => (
          <Autocomplete.Group key={title} items={items}>
            <Autocomplete.GroupLabel className={styles.heading}>{title}</Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(command: Command) => (
                <Autocomplete.Item
                  key={command.title}
                  value={command}
                  className={styles.item}
                  onClick={() => run(command)}
                >
                  <span className={styles.icon}>{command.icon && <Icon name={command.icon} />}</span>
                  <span className={styles.title}>{command.title}</span>
                  {command.shortcut && <Kbd>{shortcutText(command.shortcut)}</Kbd>}
                </Autocomplete.Item>
              )}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  );
}

/** The projects are read when the palette opens. */
function useProjectCommands(): Command[] {
  const navigate = useNavigate();
  const { data: projects } = useQuery(projectsQuery);
  return useMemo(
    () =>
      (projects ?? []).map((each) => ({
        title: each.project_id,
        group: 'Projects',
        icon: 'cube',
        run: () => void navigate({ to: projectUrl(each) }),
      })),
    [projects, navigate],
  );
}

type CommandGroup = { title: string; items: Command[] };

/** Commands that contain every word, those whose title begins with the text first; groups stay together. */
function search(commands: Command[], text: string): CommandGroup[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = commands.filter(({ title, keywords = '', group }) => {
    const searched = `${title} ${keywords} ${group}`.toLowerCase();
    return words.every((word) => searched.includes(word));
  });
  const rank = ({ title }: Command) => (title.toLowerCase().startsWith(words[0] ?? '') ? 0 : 1);
  return [...Map.groupBy(matching, ({ group }) => group)]
    .map(([title, items]) => ({ title, items: items.toSorted((a, b) => rank(a) - rank(b)) }))
    .sort((a, b) => rank(a.items[0]!) - rank(b.items[0]!));
}
