/**
 * Lets projects take turns: each project with waiting jobs starts one job per round. Without this, a project that adds
 * a thousand jobs would delay all others until these are done.
 */
export class ProjectTurns {
  readonly #runningMax: number;
  readonly #running = new Map<string, number>();
  /** The projects that have started a job in this round. */
  readonly #served = new Set<string>();

  constructor(runningPerProjectMax: number) {
    this.#runningMax = runningPerProjectMax;
  }

  /** Takes the next job of a project whose turn it is. */
  async next<Lease extends { job: { project: string } }>(
    take: (ignoredProjects: string[]) => Promise<Lease | null>,
  ): Promise<Lease | null> {
    const busy = [...this.#running].filter(([, count]) => count >= this.#runningMax).map(([project]) => project);
    let lease = await take([...new Set([...busy, ...this.#served])]);
    if (lease === null && this.#served.size > 0) {
      this.#served.clear();
      lease = await take(busy);
    }
    if (lease !== null) this.#served.add(lease.job.project);
    return lease;
  }

  begin(project: string): void {
    this.#running.set(project, (this.#running.get(project) ?? 0) + 1);
  }

  end(project: string): void {
    const left = (this.#running.get(project) ?? 0) - 1;
    if (left > 0) this.#running.set(project, left);
    else this.#running.delete(project);
  }
}
