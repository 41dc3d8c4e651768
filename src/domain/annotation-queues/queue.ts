/** A queue by its id, within a project: ids of other projects are unknown. */
export type QueueKey = { projectId: string; queueId: string };

export type AnnotationQueue = {
  id: string;
  name: string;
  description: string;
  scorerRefs: string[];
  createdAt: Date;
  createdBy: string;
  updatedAt: Date;
  deletedAt: Date | null;
};
