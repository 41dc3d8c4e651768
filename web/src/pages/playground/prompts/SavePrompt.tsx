import { useState } from 'react';
import { readAgain } from '../../../api/read-again.ts';
import { FormDialog } from '../../../components/FormDialog.tsx';
import { useProject } from '../../../features/use-project.ts';
import { TextField } from '../../../ui/TextField.tsx';
import { notify } from '../../../ui/Toasts.tsx';
import type { Settings } from '../settings.ts';
import type { Message } from '../use-chat.ts';
import { savePrompt } from './prompt-object.ts';

type SavePromptProps = { messages: Message[]; settings: Settings; names: string[]; onClose: () => void };

/** Asks for a name, and publishes the messages and settings under it. */
export function SavePrompt({ messages, settings, names, onClose }: SavePromptProps) {
  const project = useProject();
  const [text, setText] = useState('');
  const name = text.trim();
  return (
    <FormDialog
      title="Save as a prompt"
      description={
        messages.length === 0
          ? 'There is nothing to save yet. Write a system prompt or a message first.'
          : `Saves ${messages.length} ${messages.length === 1 ? 'message' : 'messages'} and the settings as a MessagesPrompt, which the SDKs can get.`
      }
      action="Save the prompt"
      isComplete={name !== '' && messages.length > 0}
      run={async () => {
        await savePrompt(project.id, name, messages, settings);
        await readAgain({ queryKey: ['objects', project.id] });
        notify(`Saved the prompt ${name}`);
        onClose();
      }}
      onClose={onClose}
    >
      <TextField
        label="Name of the prompt"
        value={text}
        autoFocus
        hint={names.includes(name) ? 'A prompt has this name: this becomes its next version' : undefined}
        onChange={(event) => setText(event.target.value)}
      />
    </FormDialog>
  );
}
