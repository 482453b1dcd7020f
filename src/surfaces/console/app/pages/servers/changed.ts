import { useQueryClient } from '@tanstack/react-query';
import { answersOf } from '../../api/ask.ts';

const answers = [
  'listProjectServers',
  'getProjectServer',
  'runDoctor',
  'listTools',
  'listPrompts',
  'listResources',
] as const;

/** After a server was written: what was read of it is read again. */
export function useServerChanged(): () => Promise<unknown> {
  const queryClient = useQueryClient();
  return () => Promise.all(answers.map((id) => queryClient.invalidateQueries(answersOf(id))));
}
