import { useStudiesOff, useSwarmsOff } from '../api/features.ts';
import { places } from './places.tsx';

/** Links to features that may be enabled are shown while loading, to avoid layout shift. */
export function usePlaces(projectId: string | undefined) {
  const off: Partial<Record<(typeof places)[number]['to'], boolean>> = {
    '/projects/$projectId/swarms': useSwarmsOff(projectId),
    '/projects/$projectId/studies': useStudiesOff(projectId),
  };
  return places.filter(({ to }) => !off[to]);
}
