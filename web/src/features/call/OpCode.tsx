import { useQuery } from '@tanstack/react-query';
import { ask, askBlob } from '../../api/client.ts';
import { orMissing } from '../../api/missing.ts';
import { recordOf } from '../../format/json.ts';
import type { ObjectRef } from '../../refs.ts';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { Empty, ErrorMessage, Loading } from '../../ui/Status.tsx';
import { useProject } from '../use-project.ts';

/** The code of the op, as the SDK captured it for the version that ran. */
export function OpCode({ op }: { op: ObjectRef }) {
  const { id: projectId } = useProject();
  const {
    data: code,
    error,
    isPending,
    refetch,
  } = useQuery({
    queryKey: ['op-code', projectId, op.name, op.digest],
    queryFn: ({ signal }) => readCode(projectId, op, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (isPending) return <Loading label="Loading the code" />;
  if (error) return <ErrorMessage error={error} onRetry={refetch} />;
  if (code === null) {
    return (
      <Empty icon="code" title="No code was recorded for this op">
        The Python SDK captures the code of functions with <code>@weave.op</code>.
      </Empty>
    );
  }
  return <CodeBlock label="Code of the op" text={code} />;
}

async function readCode(projectId: string, { name, digest }: ObjectRef, signal: AbortSignal): Promise<string | null> {
  const body = { project_id: projectId, object_id: name, digest };
  const read = await orMissing(ask('POST /obj/read', { body }, { signal }), null);
  const file = recordOf(recordOf(read?.obj.val).files)['obj.py'];
  if (typeof file !== 'string') return null;
  const content = askBlob('POST /file/content', { body: { project_id: projectId, digest: file } }, { signal });
  return (await orMissing(content, null))?.text() ?? null;
}
