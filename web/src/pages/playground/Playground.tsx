import { useState } from 'react';
import { PageHeader } from '../../components/PageHeader.tsx';
import { useProject } from '../../features/use-project.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { Button } from '../../ui/Button.tsx';
import { Composer } from './Composer.tsx';
import { Conversation, shortName } from './Conversation.tsx';
import type { Start } from './from-call.ts';
import styles from './Playground.module.css';
import { PromptMenu } from './prompts/PromptMenu.tsx';
import { messagesOnPage } from './prompts/prompt-object.ts';
import { SentAlong } from './SentAlong.tsx';
import { SettingsForm } from './SettingsForm.tsx';
import { isValid, parametersOf, type Settings } from './settings.ts';
import { type Content, messagesOfTurns, useChat } from './use-chat.ts';

type PlaygroundProps = { start: Start & { settings: Settings } };

/** A longer system prompt is kept by the page alone: servers and browsers limit the length of addresses. */
const addressTextMax = 1000;

/** Settings beside one or two conversations, which are sent the same messages. */
export function Playground({ start }: PlaygroundProps) {
  const project = useProject();
  const [, change] = useSearchState();
  const [settings, setSettings] = useState(start.settings);
  const [isCompared, setIsCompared] = useState(start.settings.other !== '');
  const [before, setBefore] = useState(start.before);
  const [draft, setDraft] = useState(start.draft);
  const [attached, setAttached] = useState(start.attached);
  const [more, setMore] = useState({ parameters: start.more, left: start.left });
  const [areSettingsOpen, setAreSettingsOpen] = useState(false); // on phones; elsewhere they are always shown
  const first = useChat();
  const second = useChat();

  const update = (changes: Partial<Settings>) => {
    const next = { ...settings, ...changes };
    setSettings(next);
    change({ ...next, system: next.system.length > addressTextMax ? undefined : next.system }, { replace: true });
  };
  const compare = (isOn: boolean) => {
    setIsCompared(isOn);
    second.clear();
    update({ other: isOn ? settings.model : '' });
  };
  const sides = [
    { chat: first, model: settings.model },
    ...(isCompared ? [{ chat: second, model: settings.other }] : []),
  ];
  const requestOf = (model: string) => ({
    ...{ projectId: project.id, model, parameters: { ...more.parameters, ...parametersOf(settings) } },
    before: settings.system === '' ? before : [{ role: 'system', content: settings.system }, ...before],
  });
  const content = contentOf(draft, attached);
  const send = () => {
    for (const { chat, model } of sides) void chat.send(content, requestOf(model));
    setDraft('');
    setAttached([]);
  };
  const clear = () => {
    for (const { chat } of sides) chat.clear();
    setBefore([]);
    setAttached([]);
    setMore({ parameters: {}, left: [] });
  };
  const isUnanswered = before.length > 0 && before.at(-1)!.role !== 'assistant';
  const isEmpty = before.length === 0 && sides.every(({ chat }) => chat.turns.length === 0);
  return (
    <>
      <PageHeader
        title="Playground"
        actions={
          <>
            <PromptMenu
              settings={settings}
              messages={() => messagesOnPage(settings.system, [...before, ...messagesOfTurns(first.turns)], content)}
            />
            <Button icon="plus" disabled={isEmpty} onClick={clear}>
              New chat
            </Button>
          </>
        }
      />
      <div className={styles.split}>
        <Button
          className={styles.toggle}
          kind="quiet"
          icon={areSettingsOpen ? 'chevronDown' : 'chevronRight'}
          aria-expanded={areSettingsOpen}
          onClick={() => setAreSettingsOpen(!areSettingsOpen)}
        >
          Settings
        </Button>
        <div className={styles.settings} data-open={areSettingsOpen}>
          <SettingsForm settings={settings} isCompared={isCompared} onChange={update} onCompare={compare} />
        </div>
        <div className={styles.chat}>
          <div className={styles.sides}>
            {sides.map(({ chat, model }, index) => (
              <Conversation
                // biome-ignore lint/suspicious/noArrayIndexKey: a side is its position
                key={index}
                isMain={index === 0}
                label={`${index === 0 ? 'Chat' : 'Second chat'} with ${shortName(model) || '…'}`}
                before={before}
                turns={chat.turns}
                onRetry={() => chat.retry(requestOf(model))}
              />
            ))}
          </div>
          <SentAlong parameters={more.parameters} attached={attached} left={more.left} />
          <Composer
            draft={draft}
            canBeEmpty={attached.length > 0 || (isUnanswered && sides.every(({ chat }) => chat.turns.length === 0))}
            onChange={setDraft}
            obstacle={obstacleOf(settings, sides)}
            isBusy={sides.some(({ chat }) => chat.isBusy)}
            onSend={send}
            onStop={() => {
              for (const { chat } of sides) chat.stop();
            }}
          />
        </div>
      </div>
    </>
  );
}

function contentOf(draft: string, attached: unknown[]): Content {
  const text = draft.trim() === '' ? [] : [{ type: 'text', text: draft }];
  if (attached.length > 0) return [...text, ...attached];
  return text.length === 0 ? null : draft;
}

function obstacleOf(settings: Settings, sides: { model: string }[]): string | null {
  if (sides.some(({ model }) => model === '')) return 'Choose a model';
  return isValid(settings) ? null : 'Correct the settings first';
}
