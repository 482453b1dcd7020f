import { Link, useParams } from '@tanstack/react-router';
import css from './notice.module.css';

interface Used {
  kind: 'suite' | 'client' | 'group' | 'environment';
  id: string;
  name: string;
}

/** Names of the resources that use something, as links where they have a page. */
export function UsedBy({
  uses,
  more = false,
  lead,
  none,
}: {
  uses: readonly Used[];
  /** The list may be incomplete. */
  more?: boolean;
  lead: string;
  none: string;
}) {
  return (
    <div className={css.used}>
      <p>{uses.length === 0 ? none : lead}</p>
      {uses.length > 0 && (
        <ul aria-label="Used by">
          {uses.map((use) => (
            <li key={use.id}>
              <span>{use.kind}</span> <UseLink use={use} />
            </li>
          ))}
        </ul>
      )}
      {more && <p>This list may be incomplete: not everything was checked.</p>}
    </div>
  );
}

function UseLink({ use: { kind, id, name } }: { use: Used }) {
  const { projectId = '' } = useParams({ strict: false });
  if (kind === 'environment')
    return (
      <Link to="/projects/$projectId/environments/$environmentId" params={{ projectId, environmentId: id }}>
        {name}
      </Link>
    );
  if (kind === 'client')
    return (
      <Link to="/projects/$projectId/clients/$clientId" params={{ projectId, clientId: id }}>
        {name}
      </Link>
    );
  return <strong>{name}</strong>;
}
