import { api, type Output } from '../../api/index.ts';

type Run = Output<'listEvalRuns'>['items'][number];

/** Maximum number of pages loaded per project; older runs are not counted. */
const maxPages = 5;
const perPage = 100;

/** Runs of a project since a point in time, newest first, and whether the list is complete. */
export function runsSince(projectId: string, since: number) {
  return {
    queryKey: ['listEvalRuns', 'since', projectId, since],
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<{ runs: Run[]; all: boolean }> => {
      const runs: Run[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < maxPages; page++) {
        const answer = await api.listEvalRuns(
          { projectId, limit: perPage, ...(cursor !== undefined && { cursor }) },
          { signal },
        );
        runs.push(...answer.items.filter(({ createdAt }) => createdAt >= since));
        cursor = answer.nextCursor;
        const last = answer.items.at(-1);
        if (cursor === undefined || !last || last.createdAt < since) return { runs, all: true };
      }
      return { runs, all: false };
    },
  };
}
