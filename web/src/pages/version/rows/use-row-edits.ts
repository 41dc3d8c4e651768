import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { publishChangedRows } from '../../../api/datasets.ts';
import type { ObjectVersion } from '../../../api/objects.ts';
import { readAgain } from '../../../api/read-again.ts';
import { useProject } from '../../../features/use-project.ts';
import { notify } from '../../../ui/Toasts.tsx';
import { versionUrl } from '../../../urls.ts';
import { hasEdits, noEdits, type RowEdits, stepsOf } from './row-edits.ts';

/** Edits of the rows of a dataset until they are published as its next version; null while the rows are only read. */
export function useRowEdits(dataset: ObjectVersion, tableDigest: string) {
  const project = useProject();
  const navigate = useNavigate();
  const [edits, setEdits] = useState<RowEdits | null>(null);
  const isUnsaved = edits !== null && hasEdits(edits);
  useEffect(() => {
    if (!isUnsaved) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isUnsaved]);
  const publication = useMutation({
    mutationFn: () => publishChangedRows(dataset, tableDigest, stepsOf(edits ?? noEdits)),
    onSuccess: async (digest) => {
      setEdits(null);
      notify('Published a new version');
      await readAgain({ queryKey: ['objects', project.id] });
      await navigate({ to: versionUrl(project, { kind: 'objects', name: dataset.object_id, digest }) });
    },
  });
  return {
    edits,
    setEdits,
    publication,
    start: () => setEdits(noEdits),
    stop: () => {
      setEdits(null);
      publication.reset();
    },
  };
}
