import type { Context } from '../../context.ts';
import { serviceEndpoints } from '../../contract/service/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
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

export function serviceRoutes(context: Context): Route[] {
  return routesOf(serviceEndpoints, {
    health: health(),
    readiness: readiness(context),
    trainingHealth: trainingHealth(context),
    systemCheck: systemCheck(context),
    readVersion: readVersion(),
    serverInfo: serverInfo(context),
    metrics: metrics(context),
    openapi: openapi(),
    projectsInfo: projectsInfo(context),
    geolocate: geolocate(context),
    doctor: doctor(context),
  });
}
