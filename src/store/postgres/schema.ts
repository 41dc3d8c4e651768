import type { ColumnType, Generated } from 'kysely';
import type { AnnotationState, ProgressState } from '../../domain/annotation-queues/progress.ts';

/** A timestamp with time zone: read as a Date, written as a Date or left to the database. */
type Timestamp = ColumnType<Date, Date | string | undefined, Date | string>;

/** The tables of the PostgreSQL store, which the `.sql` migrations create. */
export type Database = {
  schema_migrations: { number: number; name: string; applied_at: Timestamp };
  users: {
    id: string;
    username: string;
    is_owner: Generated<boolean>;
    default_entity_id: string;
    created_at: Timestamp;
  };
  entities: { id: string; name: string; created_at: Timestamp };
  memberships: { user_id: string; entity_id: string; created_at: Timestamp };
  api_keys: {
    id: string;
    user_id: string;
    name: string;
    hash: string;
    ending: string;
    created_at: Timestamp;
    revoked_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
  };
  projects: { id: string; entity_id: string; name: string; created_at: Timestamp };
  object_names: { project_id: string; kind: ObjectKind; object_id: string; versions: Generated<number> };
  object_versions: {
    project_id: string;
    kind: ObjectKind;
    object_id: string;
    digest: string;
    version_index: number;
    base_object_class: string | null;
    leaf_object_class: string | null;
    size_bytes: number;
    wb_user_id: string | null;
    first_created_at: ColumnType<Date, Date, never>;
    created_at: ColumnType<Date, Date, Date>;
    deleted_at: Date | null;
  };
  object_aliases: { project_id: string; object_id: string; alias: string; digest: string };
  object_tags: { project_id: string; object_id: string; digest: string; tag: string };
  files: { project_id: string; digest: string; name: string; size_bytes: number; created_at: Timestamp };
  prices: {
    id: string;
    project_id: string;
    llm_id: string;
    provider_id: string;
    effective_date: ColumnType<Date, Date, never>;
    prompt_token_cost: number;
    completion_token_cost: number;
    cache_read_input_token_cost: number;
    cache_creation_input_token_cost: number;
    prompt_token_cost_unit: string;
    completion_token_cost_unit: string;
    created_by: string;
    created_at: ColumnType<Date, Date, never>;
  };
  annotation_queues: {
    id: string;
    project_id: string;
    name: string;
    description: string;
    scorer_refs: string[];
    created_at: ColumnType<Date, Date, never>;
    created_by: string;
    updated_at: ColumnType<Date, Date, Date>;
    deleted_at: Date | null;
  };
  annotation_queue_items: {
    id: string;
    queue_id: string;
    call_id: string;
    call_started_at: number;
    call_ended_at: number | null;
    call_op_name: string;
    call_trace_id: string;
    display_fields: string[];
    created_by: string;
    created_at: ColumnType<Date, Date, never>;
    updated_at: ColumnType<Date, Date, Date>;
    annotation_state: Generated<AnnotationState>;
    annotator_user_id: Generated<string>;
    is_done: Generated<boolean>;
  };
  annotation_progress: {
    item_id: string;
    annotator_id: string;
    annotation_state: ProgressState;
    created_at: ColumnType<Date, Date, never>;
    updated_at: ColumnType<Date, Date, Date>;
  };
  models: {
    id: string;
    name: string;
    source_kind: 'hub' | 'local';
    source: string;
    revision: string | null;
    weights_file: string | null;
    family: string;
    architecture: string;
    weight_type: string;
    parameters: number;
    context_length: number;
    size_bytes: number;
    pulled_at: Timestamp;
  };
};

/** An op and an object may share a name; their versions are numbered separately. */
export type ObjectKind = 'object' | 'op';
