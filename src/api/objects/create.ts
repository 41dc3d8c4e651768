import type { Context } from '../../context.ts';
import { badRequest, conflict } from '../../contract/errors.ts';
import type { objCreate } from '../../contract/objects/create.ts';
import { describeCollision } from '../../domain/objects/class-collision.ts';
import { checkObjectName } from '../../domain/objects/names.ts';
import type { Handler } from '../../http/bind.ts';
import { insertObjectValue } from '../../store/clickhouse/objects/object-values.ts';
import { classOfName } from '../../store/postgres/objects/class-of-name.ts';
import { findVersionsByDigest } from '../../store/postgres/objects/find-versions-by-digest.ts';
import { publishVersion } from '../../store/postgres/objects/publish-version.ts';
import { pythonRepr } from '../../util/python-repr.ts';
import { isLarge, workOn } from '../../services/large/large.ts';
import { work } from '../../services/large/work.ts';
import { resolveProjects } from '../../services/refs/convert-refs.ts';

export function createObject({
  identity,
  postgres,
  inserter,
}: Pick<Context, 'identity' | 'postgres' | 'inserter'>): Handler<typeof objCreate> {
  return async ({ body: { obj }, caller }) => {
    const projectId = await identity.projectForWrite(caller, obj.project_id);
    const { text: given } = obj.val;
    const projects = await resolveProjects(identity, caller, [given]);
    const requested = obj.builtin_object_class ?? obj.set_base_object_class;
    const incoming = isLarge(given)
      ? await workOn('object', given, projects, requested)
      : work.object(given, projects, requested);
    const { digest, text } = incoming;
    refuseOtherDigest(obj, digest);

    const name = { projectId, kind: incoming.kind, objectId: obj.object_id };
    const refuseOtherClass = (other: string | null | undefined) => {
      if (other === undefined || other === incoming.classes.base) return;
      throw badRequest(describeCollision(obj.object_id, incoming, other));
    };
    refuseOtherClass(await classOfName(postgres.db, name));
    checkObjectName(obj.object_id);

    // The value first: a version that can be seen can be read, and a value without a version harms nobody.
    const known = await findVersionsByDigest(postgres, projectId, [{ objectId: obj.object_id, digest }]);
    if (known.length === 0) await insertObjectValue(inserter, { projectId, digest, text });
    const { base, leaf } = incoming.classes;
    const version = {
      ...name,
      digest,
      baseClass: base,
      leafClass: leaf,
      sizeBytes: text.length,
      userId: caller.userId,
    };
    const outcome = await publishVersion(postgres, version);
    if (outcome !== 'published') refuseOtherClass(outcome.otherClass);
    return { digest, object_id: obj.object_id };
  };
}

function refuseOtherDigest(obj: { object_id: string; expected_digest: string | null }, digest: string): void {
  if (obj.expected_digest === null || obj.expected_digest === digest) return;
  const label = `obj ${pythonRepr(obj.object_id)}`;
  throw conflict(`Client ${label} digest ${obj.expected_digest} != server digest ${digest}`);
}
