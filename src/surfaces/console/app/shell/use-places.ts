import { useStudiesOff, useSwarmsOff } from '../api/features.ts';
import { places } from './places.tsx';

/** One whose feature may be on stands there, so that nothing moves when the answer comes. */
export function usePlaces(projectId: string | undefined) {
  const off: Partial<Record<(typeof places)[number]['to'], boolean>> = {
    '/projects/$projectId/swarms': useSwarmsOff(projectId),
    '/projects/$projectId/studies': useStudiesOff(projectId),
  };
  return places.filter(({ to }) => !off[to]);
}
