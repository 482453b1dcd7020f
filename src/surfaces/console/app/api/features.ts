import { useQuery } from '@tanstack/react-query';
import { ask } from './ask.ts';

/** Milliseconds. Features rarely change. */
const staleTime = 5 * 60_000;

/** Features of the project's organization and the reader's role in the project. */
function useCapabilities(projectId: string | undefined) {
  const asked = { ...ask('getProjectCapabilities', { projectId: projectId ?? '' }), staleTime };
  return useQuery({ ...asked, enabled: projectId !== undefined }).data;
}

/** Whether the operator has disabled swarms for the project's organization. */
export function useSwarmsOff(projectId: string | undefined): boolean {
  return useCapabilities(projectId)?.features.swarms.enabled === false;
}

export function useStudiesOff(projectId: string | undefined): boolean {
  return useCapabilities(projectId)?.features.userTesting.enabled === false;
}

/** Whether the user is not a project admin. False while loading, so that nothing is hidden by mistake. */
export function useMemberOnly(projectId: string): boolean {
  return useCapabilities(projectId)?.projectRole === 'editor';
}
