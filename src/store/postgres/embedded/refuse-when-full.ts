import type { InsertQueryNode, KyselyPlugin } from 'kysely';
import type { Disk } from '../../disk/disk.ts';

/**
 * Rejects statements before they reach PostgreSQL while the disk is short. New rows are rejected like other new data;
 * changes and deletions are small and stay allowed until the disk is almost full, because PostgreSQL stops if it cannot
 * write its WAL. So do the events of jobs that are already running: the last one says that the disk is full.
 */
export function refuseWhenFull(disk: Disk): KyselyPlugin {
  return {
    transformQuery({ node }) {
      if (node.kind === 'InsertQueryNode' && !isEvent(node)) disk.requireRoom();
      else if (node.kind === 'InsertQueryNode' || node.kind === 'UpdateQueryNode' || node.kind === 'DeleteQueryNode')
        disk.requireRoomToDelete();
      return node;
    },
    transformResult: async ({ result }) => result,
  };
}

function isEvent({ into }: InsertQueryNode): boolean {
  return into?.table.identifier.name === 'training_events';
}
