/** What a part has instead of an id while it is being copied. */
export function unfinishedCopyOf(id: string): string {
  return `unfinished copy of ${id}`;
}

export function isUnfinishedCopy(id: string | null): boolean {
  return id?.startsWith(unfinishedCopyOf('')) ?? false;
}

/** The id of the deployment that a part belongs to. It is stored in the part itself. */
export type DeploymentId = {
  read(): Promise<string | null>;
  write(id: string): Promise<void>;
  /** Gives the part an id if it has none. @returns the one that it has: another process may have been faster */
  agree(id: string): Promise<string>;
};
