import { everything } from '../everything.ts';
import type { Calling } from './agent.ts';
import { patientClient } from './patience.ts';

/** What a name can mean: everything of a kind, not the first page of it. */
export const everyProject = (calling: Calling) => everything(patientClient(calling).listProjects, {});

export const everyServer = (calling: Calling, projectId: string) =>
  everything(patientClient(calling).listProjectServers, { projectId });

export const everySuite = (calling: Calling, projectId: string) =>
  everything(patientClient(calling).listEvalSuites, { projectId });

export const everyEnvironment = (calling: Calling, projectId: string) =>
  everything(patientClient(calling).listEnvironments, { projectId });
