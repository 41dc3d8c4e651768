import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { objectsQuery } from '../../../api/objects.ts';
import { useProject } from '../../../features/use-project.ts';
import { Button } from '../../../ui/Button.tsx';
import { Menu, MenuHeading, MenuItem, MenuSeparator } from '../../../ui/Menu.tsx';
import { promptPlaygroundUrl } from '../../../urls.ts';
import type { Settings } from '../settings.ts';
import type { Message } from '../use-chat.ts';
import { SavePrompt } from './SavePrompt.tsx';

type PromptMenuProps = {
  /** What is saved: read when the user asks for it. */
  messages: () => Message[];
  settings: Settings;
};

const shownMax = 50;

/** Loads a prompt object of the project, or saves what is on the page as one. */
export function PromptMenu({ messages, settings }: PromptMenuProps) {
  const project = useProject();
  const navigate = useNavigate();
  const [saved, setSaved] = useState<Message[] | null>(null);
  const { data: objects = [] } = useQuery(objectsQuery(project.id));
  const prompts = objects.filter(({ base_object_class }) => base_object_class === 'Prompt');
  return (
    <>
      <Menu align="end" trigger={<Button icon="chat">Prompts</Button>}>
        <MenuHeading>{prompts.length === 0 ? 'No prompt is saved yet' : 'Load a prompt'}</MenuHeading>
        {prompts.slice(0, shownMax).map(({ object_id }) => (
          <MenuItem key={object_id} onSelect={() => void navigate({ to: promptPlaygroundUrl(project, object_id) })}>
            {object_id}
          </MenuItem>
        ))}
        <MenuSeparator />
        <MenuItem icon="plus" onSelect={() => setSaved(messages())}>
          Save as a prompt…
        </MenuItem>
      </Menu>
      {saved && (
        <SavePrompt
          messages={saved}
          settings={settings}
          names={prompts.map(({ object_id }) => object_id)}
          onClose={() => setSaved(null)}
        />
      )}
    </>
  );
}
