import { sql } from 'kysely';
import type { ProjectId } from '../../../contract/ids.ts';
import type { Postgres } from '../postgres.ts';

export type UploadedFile = {
  /** Sorts by time. */
  id: string;
  projectId: ProjectId;
  name: string;
  purpose: string;
  sizeBytes: number;
  createdAt: Date;
  expiresAt: Date | null;
};

export type NewUploadedFile = Omit<UploadedFile, 'createdAt' | 'expiresAt'> & {
  createdBy: string;
  /** Counted from now; null: never. */
  expiresAfterSeconds: number | null;
  /** What an imported file was elsewhere. */
  sourceId?: string;
};

export type FilePage = {
  projectId: ProjectId;
  purpose: string | null;
  order: 'asc' | 'desc';
  after: string | null;
  limit: number;
};

export async function addUploadedFile({ db }: Pick<Postgres, 'db'>, file: NewUploadedFile): Promise<UploadedFile> {
  const { expiresAfterSeconds: seconds } = file;
  const row = await db
    .insertInto('uploaded_files')
    .values({
      id: file.id,
      project_id: file.projectId,
      name: file.name,
      purpose: file.purpose,
      size_bytes: file.sizeBytes,
      created_by: file.createdBy,
      source_id: file.sourceId ?? null,
      expires_at: seconds === null ? null : sql<Date>`now() + make_interval(secs => ${seconds})`,
    })
    .returning(columns)
    .executeTakeFirstOrThrow();
  return row as UploadedFile;
}

/** A file of a project that has not expired. */
export async function findUploadedFile(
  { db }: Pick<Postgres, 'db'>,
  projectId: ProjectId,
  id: string,
): Promise<UploadedFile | null> {
  const row = await db
    .selectFrom('uploaded_files')
    .select(columns)
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .where(isKept)
    .executeTakeFirst();
  return (row as UploadedFile | undefined) ?? null;
}

/** The file that was imported from another server, and has not expired. */
export async function findImportedFile(
  { db }: Pick<Postgres, 'db'>,
  projectId: ProjectId,
  sourceId: string,
): Promise<UploadedFile | null> {
  const row = await db
    .selectFrom('uploaded_files')
    .select(columns)
    .where('project_id', '=', projectId)
    .where('source_id', '=', sourceId)
    .where(isKept)
    .executeTakeFirst();
  return (row as UploadedFile | undefined) ?? null;
}

export async function listUploadedFiles({ db }: Pick<Postgres, 'db'>, page: FilePage): Promise<UploadedFile[]> {
  let query = db.selectFrom('uploaded_files').select(columns).where('project_id', '=', page.projectId).where(isKept);
  if (page.purpose !== null) query = query.where('purpose', '=', page.purpose);
  if (page.after !== null) query = query.where('id', page.order === 'asc' ? '>' : '<', page.after);
  return (await query.orderBy('id', page.order).limit(page.limit).execute()) as UploadedFile[];
}

/** @returns whether there was one */
export async function deleteUploadedFile(
  { db }: Pick<Postgres, 'db'>,
  projectId: ProjectId,
  id: string,
): Promise<boolean> {
  const row = await db
    .deleteFrom('uploaded_files')
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .where(isKept)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes the rows of some files that have expired. @returns what they were */
export async function deleteExpiredFiles(
  { db }: Pick<Postgres, 'db'>,
  limit: number,
): Promise<Pick<UploadedFile, 'id' | 'projectId'>[]> {
  const expired = db.selectFrom('uploaded_files').select('id').where('expires_at', '<=', sql<Date>`now()`).limit(limit);
  const rows = await db
    .deleteFrom('uploaded_files')
    .where('id', 'in', expired)
    .returning(['id', 'project_id as projectId'])
    .execute();
  return rows as Pick<UploadedFile, 'id' | 'projectId'>[];
}

const isKept = sql<boolean>`(expires_at IS NULL OR expires_at > now())`;

const columns = [
  'id',
  'project_id as projectId',
  'name',
  'purpose',
  'size_bytes as sizeBytes',
  'created_at as createdAt',
  'expires_at as expiresAt',
] as const;
