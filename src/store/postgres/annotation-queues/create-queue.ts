import { sql } from 'kysely';
import type { AnnotationQueue } from '../../../domain/annotation-queues/queue.ts';
import type { Postgres } from '../postgres.ts';

export type NewQueue = Pick<AnnotationQueue, 'id' | 'name' | 'description' | 'scorerRefs' | 'createdBy'>;

export async function createQueue({ db }: Postgres, projectId: string, queue: NewQueue): Promise<void> {
  const { id, name, description, scorerRefs, createdBy } = queue;
  await sql`
    INSERT INTO ${sql.table('annotation_queues')}
      (id, project_id, name, description, scorer_refs, created_by, created_at, updated_at)
    VALUES (${id}, ${projectId}, ${name}, ${description}, ${scorerRefs}::text[], ${createdBy},
      statement_timestamp(), statement_timestamp())`.execute(db);
}
