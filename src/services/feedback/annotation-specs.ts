import type { ProjectId } from '../../contract/ids.ts';
import type { AnnotationSpec } from '../../domain/feedback/annotation-value.ts';
import { parseRef } from '../../domain/refs.ts';
import { readObjectValues } from '../../store/clickhouse/object-values.ts';
import { findVersionsByDigest } from '../../store/postgres/objects/find-versions-by-digest.ts';
import { invalidInput, notFound } from '../../util/failures.ts';
import type { Deps } from '../deps.ts';

export type AnnotationSpecs = {
  /** The live object behind a ref. @throws Failure if it is deleted or does not exist. */
  read(projectId: ProjectId, ref: string): Promise<AnnotationSpec>;
};

/** Used for one request: each spec is looked up once. */
export function openAnnotationSpecs({ clickhouse, postgres }: Pick<Deps, 'clickhouse' | 'postgres'>): AnnotationSpecs {
  const known = new Map<string, Promise<AnnotationSpec>>();

  async function look(projectId: ProjectId, uri: string): Promise<AnnotationSpec> {
    const ref = parseRef(uri);
    if (ref?.kind !== 'object' && ref?.kind !== 'op') throw invalidInput(`Invalid annotation_ref: ${uri}`);
    if (ref.digest === 'latest') {
      throw invalidInput(`annotation_ref must name a version by its digest, found latest in ${uri}`);
    }
    const name = { objectId: ref.name, digest: ref.digest };
    const [version] = await findVersionsByDigest(postgres, projectId, [name]);
    if (!version) throw notFound(`Annotation ref ${uri} not found`, { missing_object_digests: [ref.digest] });
    if (version.isDeleted) throw invalidInput(`Annotation ref ${uri} not found`);
    const text = (await readObjectValues(clickhouse, projectId, [ref.digest])).get(ref.digest);
    if (text === undefined) throw new Error(`A version has no value (digest ${ref.digest}).`);
    return { digest: ref.digest, text };
  }

  return {
    read(projectId, uri) {
      const key = `${projectId} ${uri}`;
      const found = known.get(key) ?? look(projectId, uri);
      known.set(key, found);
      return found;
    },
  };
}
