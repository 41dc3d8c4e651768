import type { TensorZeroSettings } from '../../domain/tensorzero/settings.ts';
import type { Owner } from '../../services/owner.ts';
import type { Services } from '../../services/services.ts';
import type { Render } from './inference-rows.ts';
import type { Report } from './report.ts';
import type { Columns, Table } from './tables.ts';

/** What is being imported. */
export type Import = {
  services: Services;
  owner: Owner;
  report: Report;
  /** Of the project; null if it has none. */
  settings: TensorZeroSettings | null;
  render: Render;
  signal: AbortSignal;
};

/** A row whose table is known. */
export type TableRow = { place: string; table: Table; columns: Columns };
