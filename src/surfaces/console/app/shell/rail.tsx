import { Link } from '@tanstack/react-router';
import { ask, useQuery } from '../api/index.ts';
import { useSignedIn } from '../api/session.ts';
import { InstallationIcon } from '../kit/icons.tsx';
import { AccountMenu } from './account-menu.tsx';
import { lastProject } from './last-project.ts';
import { useOrganization } from './organization.ts';
import { placesOf } from './places.tsx';
import css from './shell.module.css';
import { OrganizationSwitch, ProjectSwitch } from './switches.tsx';
import { usePlaces } from './use-places.ts';

/** Navigation: pages, project and organization switchers, and account menu. */
export function Rail({ projectId: open, onLeave }: { projectId: string | undefined; onLeave: () => void }) {
  const signedIn = useSignedIn();
  const projectId = useProject(open);
  const organization = useOrganization();
  const places = usePlaces(projectId);
  return (
    <>
      <div>
        {signedIn && <OrganizationSwitch signedIn={signedIn} current={organization} />}
        <ProjectSwitch projectId={projectId} />
      </div>
      <nav aria-label="Pages" className={css.places}>
        {projectId !== undefined &&
          places.map(({ to, name, icon }) => (
            <Link
              key={to}
              to={to}
              params={{ projectId }}
              className={css.place}
              // The paths of all project pages begin with this one.
              activeOptions={{ exact: to === '/projects/$projectId', includeSearch: false }}
              onClick={onLeave}
            >
              {icon}
              {name}
            </Link>
          ))}
        {organization && (
          <>
            <h2 className={css.group} title={organization.name} dir="auto">
              {organization.name}
            </h2>
            {placesOf(organization).map(({ to, name, icon }) => (
              <Link
                key={to}
                to={to}
                params={{ organizationId: organization.id }}
                className={css.place}
                onClick={onLeave}
              >
                {icon}
                {name}
              </Link>
            ))}
          </>
        )}
        {signedIn?.user.operator && (
          <Link to="/installation" className={css.place} onClick={onLeave}>
            <InstallationIcon />
            Installation
          </Link>
        )}
      </nav>
      <footer className={css.foot}>
        <p className={css.docs}>
          <a href="/docs/guides" target="_blank" rel="noopener">
            Guides
          </a>
          <a href="/docs" target="_blank" rel="noopener">
            API
          </a>
        </p>
        {signedIn && <AccountMenu signedIn={signedIn} onLeave={onLeave} />}
      </footer>
    </>
  );
}

/** The open project; on pages outside projects, the last open one. */
function useProject(open: string | undefined): string | undefined {
  const items = useQuery(ask('listProjects', {})).data?.items ?? [];
  if (open !== undefined) return open;
  const remembered = lastProject();
  return (items.find(({ id }) => id === remembered) ?? items[0])?.id;
}
