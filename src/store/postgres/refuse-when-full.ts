import type { KyselyPlugin } from 'kysely';
import type { Disk } from '../disk/disk.ts';

/**
 * Rejects statements before they reach PostgreSQL while the disk is short. New rows are rejected like other new data;
 * changes and deletions are small and stay allowed until the disk is almost full, because PostgreSQL stops if it cannot
 * write its WAL.
 */
export function refuseWhenFull(disk: Disk): KyselyPlugin {
  return {
    transformQuery({ node }) {
      if (node.kind === 'InsertQueryNode') disk.requireRoom();
      else if (node.kind === 'UpdateQueryNode' || node.kind === 'DeleteQueryNode') disk.requireRoomToDelete();
      return node;
    },
    transformResult: async ({ result }) => result,
  };
}
