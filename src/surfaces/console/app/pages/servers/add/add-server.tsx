import { useNavigate } from '@tanstack/react-router';
import { LazyDialog } from '../../../kit/dialog-button.tsx';
import { TabButtons } from '../../../kit/tabs.tsx';
import type { WayToAdd } from '../address.ts';
import css from './add.module.css';
import { ByCommand } from './by-command.tsx';
import { ByPaste } from './by-paste.tsx';
import { ByUrl } from './by-url.tsx';

const ways: [WayToAdd, string][] = [
  ['url', 'By URL'],
  ['command', 'By command'],
  ['paste', 'Pasted JSON'],
];

/** Adds servers. Each tab keeps its own input. */
export function AddServer({
  projectId,
  way,
  onWay,
  onClose,
}: {
  projectId: string;
  way: WayToAdd;
  onWay: (way: WayToAdd) => void;
  onClose: () => void;
}) {
  const navigate = useNavigate();
  const added = (serverId: string): void =>
    void navigate({ to: '/projects/$projectId/servers/$serverId', params: { projectId, serverId } });
  return (
    <LazyDialog onClose={onClose} title="Add server" wide>
      <div className={css.add}>
        <TabButtons label="Connection type" names={ways} chosen={way} choose={onWay} />
        {way === 'url' && <ByUrl projectId={projectId} onAdded={added} onClose={onClose} />}
        {way === 'command' && <ByCommand projectId={projectId} onAdded={added} onClose={onClose} />}
        {way === 'paste' && <ByPaste projectId={projectId} onAdded={added} onClose={onClose} />}
      </div>
    </LazyDialog>
  );
}
