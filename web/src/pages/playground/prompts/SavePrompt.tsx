import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useRef, useState } from 'react';
import { useProject } from '../../../hooks/use-project.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { TextField } from '../../../ui/TextField.tsx';
import { notify } from '../../../ui/Toasts.tsx';
import type { Settings } from '../settings.ts';
import type { Message } from '../use-chat.ts';
import { savePrompt } from './prompt-object.ts';

type SavePromptProps = { messages: Message[]; settings: Settings; names: string[]; onClose: () => void };

/** Asks for a name, and publishes the messages and settings under it. */
export function SavePrompt({ messages, settings, names, onClose }: SavePromptProps) {
  const project = useProject();
  const client = useQueryClient();
  const formId = useId();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const name = text.trim();
  const saving = useMutation({
    mutationFn: () => savePrompt(project.id, name, messages, settings),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['objects', project.id] });
      notify(`Saved the prompt ${name}`);
      onClose();
    },
  });
  const canSave = name !== '' && messages.length > 0 && !saving.isPending;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (canSave) saving.mutate();
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Save as a prompt"
      initialFocus={field}
      description={
        messages.length === 0
          ? 'There is nothing to save yet. Write a system prompt or a message first.'
          : `Saves ${messages.length} ${messages.length === 1 ? 'message' : 'messages'} and the settings as a MessagesPrompt, which the SDKs can get.`
      }
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form={formId} disabled={!canSave}>
            {saving.isPending ? 'Saving…' : 'Save the prompt'}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit}>
        <TextField
          ref={field}
          label="Name of the prompt"
          value={text}
          error={saving.error?.message}
          hint={names.includes(name) ? 'A prompt has this name: this becomes its next version' : undefined}
          onChange={(event) => {
            setText(event.target.value);
            saving.reset();
          }}
        />
      </form>
    </Dialog>
  );
}
