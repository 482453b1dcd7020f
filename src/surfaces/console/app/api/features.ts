import { useQuery } from '@tanstack/react-query';
import { ask } from './ask.ts';

/** Operators switch features seldom. */
const staleTime = 5 * 60_000;

/** Features of the project's organization and the reader's role in the project. */
function useCapabilities(projectId: string | undefined) {
  const asked = { ...ask('getProjectCapabilities', { projectId: projectId ?? '' }), staleTime };
  return useQuery({ ...asked, enabled: projectId !== undefined }).data;
}

/** Whether the operator has not switched swarms on for the organization of a project. */
export function useSwarmsOff(projectId: string | undefined): boolean {
  return useCapabilities(projectId)?.features.swarms.enabled === false;
}

export function useStudiesOff(projectId: string | undefined): boolean {
  return useCapabilities(projectId)?.features.userTesting.enabled === false;
}

/** Whether the reader does not administer the project. Until that is known nobody is kept from anything. */
export function useMemberOnly(projectId: string): boolean {
  return useCapabilities(projectId)?.projectRole === 'editor';
}
