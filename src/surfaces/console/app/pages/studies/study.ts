import { useQueryClient } from '@tanstack/react-query';
import type { Output } from '../../../../client/index.ts';
import { DrydockError } from '../../../../client/index.ts';
import { answersOf } from '../../api/ask.ts';

/** As a member of its project reads it. */
export type Study = Output<'getStudy'> & { projectId: string };

/** Whatever shows studies reads them again. */
export function useStudiesChanged(): () => Promise<void> {
  const queryClient = useQueryClient();
  return async () => {
    for (const id of ['getStudy', 'listStudies'] as const) await queryClient.invalidateQueries(answersOf(id));
  };
}

/** What was counted is missing until something has happened and was looked at; the API says so with a 404. */
export function isMissing(error: unknown): boolean {
  return error instanceof DrydockError && error.code === 'NOT_FOUND';
}
