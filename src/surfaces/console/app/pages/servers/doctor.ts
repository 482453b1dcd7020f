import type { Report } from '../../api/doctor.ts';
import type { State } from '../../kit/state.tsx';

export function doctorState(status: Report['status']): { state: State; word: string } {
  if (status === 'ready') return { state: 'passed', word: 'ready' };
  if (status === 'oauth_required') return { state: 'attention', word: 'needs authorization' };
  return status === 'partial'
    ? { state: 'inconclusive', word: 'partially working' }
    : { state: 'failed', word: 'not working' };
}
