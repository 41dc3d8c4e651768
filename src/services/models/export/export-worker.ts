import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { giveWay } from '../../../util/give-way.ts';
import type { Scope } from '../../../util/workers/messages.ts';
import { serveRequests } from '../../../util/workers/serve-requests.ts';
import { type ExportedFile, type ExportFormat, type ExportSource, planExport } from './export-files.ts';

export type ExportProgress = { file: string; doneBytes: number; totalBytes: number };

let planned: ExportedFile[];

const handlers = {
  async plan({ format, source }: { format: ExportFormat; source: ExportSource }) {
    planned = await planExport(format, source);
    return planned.map(({ name, sizeBytes }) => ({ name, sizeBytes }));
  },

  /** Writes the planned files into a new folder. */
  async write(folder: string, { emit }: Scope<ExportProgress>): Promise<void> {
    const totalBytes = planned.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    let doneBytes = 0;
    mkdirSync(folder);
    for (const { name, write } of planned) {
      for (const count of write(join(folder, name))) {
        doneBytes += count;
        emit({ file: name, doneBytes, totalBytes });
        await null; // events are sent between pieces
      }
    }
  },
};

export type Exporting = typeof handlers;

/** The thread that writes one export, tensor by tensor. It uses blocking file I/O. */
giveWay();
serveRequests(handlers, { order: 'concurrent' });
