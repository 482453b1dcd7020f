import * as conformanceIngest from '../conformance-ingest.ts';
import * as conformanceRuns from '../conformance-runs.ts';
import * as contractChecks from '../contract-checks.ts';
import * as oauth from '../oauth.ts';
import { operationsOf } from '../operation.ts';
import * as serverChecks from '../server-checks.ts';
import * as connections from '../server-connections.ts';
import * as diagnostics from '../server-diagnostics.ts';
import * as serverExport from '../server-export.ts';
import * as primitives from '../server-primitives.ts';
import * as serverSkills from '../server-skills.ts';
import * as serverWidgets from '../server-widgets.ts';
import * as servers from '../servers.ts';
import * as tunnels from '../tunnels.ts';

export const declared = {
  ...servers,
  ...diagnostics,
  ...serverChecks,
  ...primitives,
  ...serverWidgets,
  ...serverSkills,
  ...serverExport,
  ...contractChecks,
  ...conformanceRuns,
  ...conformanceIngest,
  ...oauth,
  ...connections,
  ...tunnels,
};
export const operations = operationsOf('servers', declared);
