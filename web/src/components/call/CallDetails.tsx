import type { Call } from '../../api/calls.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { Tabs } from '../../ui/Tabs.tsx';
import { JsonViewer } from '../json/JsonViewer.tsx';
import styles from './CallDetails.module.css';

/** The views of one call; the address remembers which is open. */
export function CallDetails({ call }: { call: Call }) {
  const [search, change] = useSearchState();
  const tabs = [
    { id: 'data', title: 'Data', content: <Data call={call} /> },
    { id: 'attributes', title: 'Attributes', content: <Attributes call={call} /> },
  ];
  const value = tabs.some(({ id }) => id === search.tab) ? search.tab! : tabs[0]!.id;
  return (
    <Tabs label="Views of the call" tabs={tabs} value={value} onChange={(tab) => change({ tab }, { replace: true })} />
  );
}

function Data({ call }: { call: Call }) {
  return (
    <div className={styles.body}>
      <JsonViewer label="Inputs" root={['inputs']} value={call.inputs} />
      <JsonViewer label="Output" root={['output']} value={call.output ?? null} />
    </div>
  );
}

function Attributes({ call }: { call: Call }) {
  return (
    <div className={styles.body}>
      <JsonViewer label="Attributes" root={['attributes']} value={call.attributes} />
      <JsonViewer label="Summary" root={['summary']} value={call.summary ?? null} />
    </div>
  );
}
