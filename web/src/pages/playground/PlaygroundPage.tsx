import { useQuery } from '@tanstack/react-query';
import { callQuery } from '../../api/calls.ts';
import { servedModelsQuery } from '../../api/chat-models.ts';
import { usePageTitle } from '../../hooks/use-page-title.ts';
import { useProject } from '../../hooks/use-project.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { Empty, ErrorMessage, Loading } from '../../ui/Status.tsx';
import { startOf } from './from-call.ts';
import { Playground } from './Playground.tsx';
import { settingsOf } from './settings.ts';

/** Chats with models, from the start or, with `call` in the address, from what a call was asked. */
export function Page() {
  const project = useProject();
  const [search] = useSearchState();
  usePageTitle('Playground', project.project);
  const served = useQuery(servedModelsQuery(project.id));
  const call = useQuery({ ...callQuery(project.id, search.call ?? ''), enabled: search.call !== undefined });
  // What was read before stays when it cannot be read again: the conversation would be lost.
  const failed = [served, call].find(({ error, data }) => error !== null && data === undefined);
  if (failed) return <ErrorMessage error={failed.error} onRetry={() => void failed.refetch()} />;
  if (!served.data || (search.call !== undefined && call.data === undefined)) {
    return <Loading label="Loading the playground" lines={6} />;
  }
  if (search.call !== undefined && call.data === null) {
    return (
      <Empty icon="search" title="This call does not exist">
        It was deleted, or it has not arrived yet.
      </Empty>
    );
  }
  const start = call.data ? startOf(call.data) : { settings: {}, before: [], draft: '' };
  const ofAddress = settingsOf(search);
  const settings = ofAddress.model === '' ? { ...ofAddress, ...start.settings } : ofAddress;
  const model = settings.model || served.data[0]?.id || '';
  return <Playground key={`${project.id} ${search.call}`} start={{ ...start, settings: { ...settings, model } }} />;
}
