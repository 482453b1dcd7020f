import { useSwarmsOff } from '../api/features.ts';
import { places } from './places.tsx';

/** Those of a project as it is. One whose feature may be on stands there, so that nothing moves when the answer comes. */
export function usePlaces(projectId: string | undefined) {
  const swarmsOff = useSwarmsOff(projectId);
  return places.filter(({ to }) => !(swarmsOff && to === '/projects/$projectId/swarms'));
}
