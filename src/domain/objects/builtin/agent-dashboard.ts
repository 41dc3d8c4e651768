import { z } from 'zod';
import { optional } from '../../../contract/wire.ts';
import { JsonNumber } from '../../../util/json/lossless.ts';
import { baseObject } from './base-object.ts';
import { filledText, integer, model } from './fields.ts';

const columns = 24;

/** The parts of a dashboard reject unknown keys. */
function part<Fields extends Record<string, z.ZodType>>(name: string, fields: Fields, parents: string[] = []) {
  return model(name, fields, { bases: [...parents, 'DashboardConfigModel', 'BaseModel'], extra: 'forbid' });
}

const layout = z
  .unknown()
  .pipe(
    part('PanelGridLayout', {
      x: integer({ least: 0, most: columns - 1 }),
      y: integer({ least: 0 }),
      w: integer({ least: 1, most: columns }),
      h: integer({ least: 1 }),
    }),
  )
  .refine(({ x, w }) => Number(x) + Number(w) <= columns, {
    message: 'panel layout extends beyond the dashboard grid',
  });

const query = {
  version: integer({ least: 1, most: 1 }).default(() => new JsonNumber('1')),
  metric: filledText(),
  filter: z.string().default(''),
  format: optional(z.enum(['number', 'percent', 'cost', 'duration'])),
};

const limit = () => integer({ least: 1, most: 50 });

const kpiQuery = part('KpiPanelQueryConfig', query, ['PanelQueryConfig']);
const timelineQuery = part(
  'TimelinePanelQueryConfig',
  { ...query, groupBy: optional(z.string()), limit: optional(limit()) },
  ['PanelQueryConfig'],
);
const breakdownQuery = part(
  'BreakdownPanelQueryConfig',
  { ...query, groupBy: filledText(), limit: limit().default(() => new JsonNumber('6')) },
  ['PanelQueryConfig'],
);

function panel<Type extends string, Query extends z.ZodType>(name: string, type: Type, panelQuery: Query) {
  const settings = part(`${name}PanelSettings`, { query: panelQuery, title: optional(z.string()) });
  const fields = { id: filledText(), layout, panel_type: z.literal(type), settings };
  return part(`${name}DashboardPanel`, fields, ['DashboardPanelBase']);
}

export const agentDashboard = baseObject('AgentDashboard', {
  label: z.string(),
  definition: part('AgentDashboardDefinition', {
    panels: z.array(
      z.union([
        panel('Kpi', 'kpi', kpiQuery),
        panel('Timeline', 'timeline', timelineQuery),
        panel('Breakdown', 'breakdown', breakdownQuery),
      ]),
    ),
  }),
});
