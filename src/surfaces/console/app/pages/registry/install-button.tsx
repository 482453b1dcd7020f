import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answersOf } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { complain } from '../../kit/toast.tsx';
import { sayInstalled, useInstalledChanged } from './installed.tsx';
import { type Entry, refusalOf, titleOf } from './words.ts';

/** Installs what has one address at once; what has to be chosen, filled in or run is asked about first. */
export function InstallButton({
  projectId,
  entry,
  verb,
  open,
}: {
  projectId: string;
  entry: Entry;
  verb: string;
  /** Asks, with what the reader had seen where that has changed. */
  open: (id: string, seen?: Entry) => void;
}) {
  const changed = useInstalledChanged();
  const queryClient = useQueryClient();
  const installing = useMutation({
    mutationFn: () =>
      api.installRegistryDirectoryServer({
        projectId,
        body: {
          catalogServerId: entry.id,
          ...(entry.latestContentHash !== undefined && { expectedContentHash: entry.latestContentHash }),
        },
      }),
    onSuccess: async (answer) => {
      sayInstalled(answer);
      await changed();
    },
    onError: async (error) => {
      if (refusalOf(error) !== 'CONTENT_CHANGED') return complain(error);
      open(entry.id, entry);
      await queryClient.invalidateQueries(answersOf('searchRegistryDirectory'));
    },
  });
  const atOnce = entry.endpointKind === 'fixed';
  return (
    <Button
      aria-label={`${verb} ${titleOf(entry)}`}
      busy={installing.isPending}
      onClick={() => (atOnce ? installing.mutate() : open(entry.id))}
    >
      {atOnce ? verb : `${verb}…`}
    </Button>
  );
}
