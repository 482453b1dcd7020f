import { useQuery } from '@tanstack/react-query';
import { ask } from './ask.ts';

/** Operators switch features seldom. */
const staleTime = 5 * 60_000;

/** Whether the operator has not switched swarms on for the organization of a project. */
export function useSwarmsOff(projectId: string | undefined): boolean {
  const asked = { ...ask('getProjectCapabilities', { projectId: projectId ?? '' }), staleTime };
  const { data } = useQuery({ ...asked, enabled: projectId !== undefined });
  return data?.features.swarms.enabled === false;
}
