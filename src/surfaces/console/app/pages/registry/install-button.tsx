import { api, useSubmit } from '../../api/index.ts';
import { Button } from '../../kit/button.tsx';
import { toastError } from '../../kit/toast.tsx';
import { toastInstalled } from './installed.tsx';
import { type Entry, refusalOf, titleOf } from './labels.ts';

/** Installs an entry with a fixed URL immediately; others open the install dialog. */
export function InstallButton({
  projectId,
  entry,
  verb,
  open,
}: {
  projectId: string;
  entry: Entry;
  verb: string;
  /** Opens the dialog, with the entry as the user saw it if it has changed since. */
  open: (id: string, seen?: Entry) => void;
}) {
  const installing = useSubmit(
    () =>
      api.installRegistryDirectoryServer({
        projectId,
        body: {
          catalogServerId: entry.id,
          ...(entry.latestContentHash !== undefined && { expectedContentHash: entry.latestContentHash }),
        },
      }),
    {
      onDone: toastInstalled,
      onFail: (error) => (refusalOf(error) === 'CONTENT_CHANGED' ? open(entry.id, entry) : toastError(error)),
    },
  );
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
