const reasonsMax = 20;

export type Count = { added: number; known: number };

type ImportedFile = { name: string; source: string | null; id: string };

export type ImportedJob = {
  id: string;
  status: string;
  method: string;
  model: string;
  /** The progress of the job, or why it was not started. */
  outcome: string;
  /** Whether `--model` can start it. */
  canStart: boolean;
};

/** What an import did. */
export type Report = {
  evals: Count;
  runs: Count;
  items: Count;
  files: Count;
  jobs: Count;
  importedFiles: ImportedFile[];
  fineTuningJobs: ImportedJob[];
  notes: string[];
  refused: number;
  /** The reasons for the first rejections. */
  reasons: string[];
};

export function newReport(): Report {
  return {
    evals: { added: 0, known: 0 },
    runs: { added: 0, known: 0 },
    items: { added: 0, known: 0 },
    files: { added: 0, known: 0 },
    jobs: { added: 0, known: 0 },
    importedFiles: [],
    fineTuningJobs: [],
    notes: [],
    refused: 0,
    reasons: [],
  };
}

export function count(of: Count, isAdded: boolean): void {
  of[isAdded ? 'added' : 'known']++;
}

export function refuseIn(report: Report): (reason: string) => void {
  return (reason) => {
    report.refused++;
    if (report.reasons.length < reasonsMax) report.reasons.push(reason);
  };
}
