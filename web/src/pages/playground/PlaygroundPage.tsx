import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { callQuery } from '../../api/calls.ts';
import { servedModelsQuery } from '../../api/chat-models.ts';
import { conversationQuery } from '../../api/conversations.ts';
import { isMissing } from '../../api/missing.ts';
import { versionQuery } from '../../api/objects.ts';
import { useProject } from '../../features/use-project.ts';
import { usePageTitle } from '../../hooks/use-page-title.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { Empty, ErrorMessage, Loading } from '../../ui/Status.tsx';
import { playgroundUrl } from '../../urls.ts';
import { emptyStart, startOf } from './from-call.ts';
import { Playground } from './Playground.tsx';
import { startOfPrompt } from './prompts/prompt-object.ts';
import { settingsOf } from './settings.ts';

/** Chats with models, from the start, from what the call in the address was asked, or from the prompt in the address. */
export function Page() {
  const project = useProject();
  const [search] = useSearchState();
  usePageTitle('Playground', project.project);
  const served = useQuery(servedModelsQuery(project.id));
  const call = useQuery({ ...callQuery(project.id, search.call ?? ''), enabled: search.call !== undefined });
  const read = useQuery({
    ...conversationQuery(project.id, call.data ?? { id: '', ended_at: null }),
    enabled: call.data != null,
  });
  const [promptName = '', promptDigest = 'latest'] = search.prompt?.split(':') ?? [];
  const prompt = useQuery({
    ...versionQuery(project.id, promptName, promptDigest),
    enabled: promptName !== '',
    retry: false,
  });
  const loaded = prompt.isPlaceholderData ? undefined : prompt.data; // the previous prompt is not shown meanwhile
  const promptStart = useMemo(() => loaded && startOfPrompt(loaded.val), [loaded]);
  if (promptName !== '' && (isMissing(prompt.error) || promptStart === null)) return <NoPrompt name={promptName} />;
  // If reading again fails, the conversation stays.
  const failed = [served, call, read, prompt].find(({ error, data }) => error !== null && data === undefined);
  if (failed) return <ErrorMessage error={failed.error} onRetry={() => void failed.refetch()} />;
  const isReading = search.call !== undefined && (call.data === undefined || (call.data && read.data === undefined));
  if (!served.data || isReading || (promptName !== '' && !promptStart)) {
    return <Loading label="Loading the playground" lines={6} />;
  }
  if (search.call !== undefined && call.data === null) {
    return (
      <Empty icon="search" title="This call does not exist" actions={<ToPlayground />}>
        It was deleted, or it has not arrived yet.
      </Empty>
    );
  }
  const start = call.data ? startOf(call.data, read.data?.conversation ?? null) : (promptStart ?? emptyStart);
  const ofAddress = settingsOf(search);
  const settings = ofAddress.model === '' ? { ...ofAddress, ...start.settings } : ofAddress;
  const model = settings.model || served.data[0]?.id || '';
  return (
    <Playground
      key={`${project.id} ${search.call} ${search.prompt}`}
      start={{ ...start, settings: { ...settings, model } }}
    />
  );
}

function ToPlayground() {
  return <Link to={playgroundUrl(useProject())}>Start without it</Link>;
}

function NoPrompt({ name }: { name: string }) {
  return (
    <Empty icon="search" title={`There is no prompt ${name}`} actions={<ToPlayground />}>
      It was deleted, it was never published in this project, or it is another kind of object.
    </Empty>
  );
}
