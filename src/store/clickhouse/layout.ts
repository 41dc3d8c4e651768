/** Where the tables are, which decides the statements that create them. */
export type Layout =
  | { kind: 'embedded' }
  | { kind: 'single server' }
  /**
   * One shard with replicas. `cluster` is the cluster on which tables are created; null in a database of the engine
   * Replicated, which creates them on each replica itself.
   */
  | { kind: 'replicas'; cluster: string | null }
  /** ClickHouse Cloud makes shared engines of plain ones. */
  | { kind: 'cloud' };

/**
 * Adapts the statements of a migration, which are written for the embedded kind: on servers, lines that end with
 * `-- embedded` are left out, and lines that begin with `-- server:` count. An `ALTER` names no cluster: it reaches the other
 * replicas through the log of its table, and has been applied to the replica in use when it returns.
 */
export function forLayout(sql: string, layout: Layout): string {
  switch (layout.kind) {
    case 'embedded':
      return sql;
    case 'single server':
    case 'cloud':
      return forServer(sql);
    case 'replicas':
      return onCluster(
        forServer(sql).replaceAll(/\bENGINE = (?=\w*MergeTree\b)/g, 'ENGINE = Replicated'),
        layout.cluster,
      );
    default:
      throw layout satisfies never;
  }
}

/** Whether a migration is for this layout. The name says so: `….embedded.sql` and `….single-server.sql` are for one of them. */
export function isForLayout(name: string, { kind }: Layout): boolean {
  const only = /\.(embedded|single-server)\.sql$/.exec(name)?.[1];
  return only === undefined || only.replace('-', ' ') === kind;
}

function forServer(sql: string): string {
  return sql.replaceAll(/^.* -- embedded\n/gm, '').replaceAll(/^-- server: /gm, '');
}

function onCluster(sql: string, cluster: string | null): string {
  if (cluster === null) return sql;
  return sql.replaceAll(/\bCREATE TABLE IF NOT EXISTS \w+/g, (begin) => `${begin} ON CLUSTER '${cluster}'`);
}
