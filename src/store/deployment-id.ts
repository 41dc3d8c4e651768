/** The id of the deployment that a part belongs to. It is stored in the part itself. */
export type DeploymentId = { read(): Promise<string | null>; write(id: string): Promise<void> };
