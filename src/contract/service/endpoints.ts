import { doctor } from './doctor.ts';
import { geolocate } from './geolocate.ts';
import { health } from './health.ts';
import { metrics } from './metrics.ts';
import { openapi } from './openapi.ts';
import { projectsInfo } from './projects-info.ts';
import { readiness } from './readiness.ts';
import { serverInfo } from './server-info.ts';
import { systemCheck } from './system-check.ts';
import { trainingHealth } from './training-health.ts';
import { readVersion } from './version.ts';

/** The endpoints of this group, in the order of the documentation. `api/service/routes.ts` has a handler for each. */
export const serviceEndpoints = {
  health,
  readiness,
  trainingHealth,
  systemCheck,
  readVersion,
  serverInfo,
  metrics,
  openapi,
  projectsInfo,
  geolocate,
  doctor,
};
