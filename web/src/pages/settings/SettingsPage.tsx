import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { sessionQuery } from '../../api/session.ts';
import { PageHeader } from '../../components/PageHeader.tsx';
import { useProject } from '../../features/use-project.ts';
import { usePageTitle } from '../../hooks/use-page-title.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { Tabs } from '../../ui/Tabs.tsx';
import { Keys } from './Keys.tsx';
import { Members } from './Members.tsx';
import { Prices } from './Prices.tsx';
import { Secrets } from './Secrets.tsx';
import { ServerHealth } from './ServerHealth.tsx';
import { StoredData } from './StoredData.tsx';

type Tab = { id: string; title: string; content: ReactNode };

/** The settings of a project and, without one in the address, those of the user and the server alone. */
export function Page() {
  const project = useProject();
  const [search, change] = useSearchState();
  const { data: session } = useQuery(sessionQuery);
  usePageTitle('Settings', project.project);
  if (!session) return null;
  const isOwner = session.is_owner === true;
  const ofProject: Tab[] = [
    { id: 'members', title: 'Members', content: <Members entity={project.entity} isOwner={isOwner} /> },
    { id: 'providers', title: 'Provider keys', content: <Secrets project={project} /> },
    { id: 'prices', title: 'Prices', content: <Prices projectId={project.id} /> },
    { id: 'data', title: 'Stored data', content: <StoredData project={project} /> },
  ];
  const tabs: Tab[] = [
    { id: 'keys', title: 'API keys', content: <Keys session={session} entity={project.entity} /> },
    ...(project.entity === '' ? [] : ofProject),
    ...(isOwner ? [{ id: 'server', title: 'Server', content: <ServerHealth /> }] : []),
  ];
  const chosen = tabs.some(({ id }) => id === search.tab) ? search.tab! : tabs[0]!.id;
  return (
    <>
      <PageHeader title="Settings" />
      <Tabs label="Settings" tabs={tabs} value={chosen} onChange={(tab) => change({ tab })} />
    </>
  );
}
