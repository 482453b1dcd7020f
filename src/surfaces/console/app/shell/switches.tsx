import { useMatches, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ask, useQuery } from '../api/index.ts';
import { partFrom } from '../api/parts.ts';
import { enterOrganization, type MyOrganization, type SignedIn } from '../api/session.ts';
import { DownIcon } from '../kit/icons.tsx';
import { Menu } from '../kit/menu.tsx';
import css from './shell.module.css';

const NewProject = partFrom(() => import('../pages/projects/new-project.tsx'), 'NewProject');

/** Not a valid project ID. */
const newProject = 'new';

/** Shown to members of several organizations only. */
export function OrganizationSwitch({
  signedIn: { organizations },
  current,
}: {
  signedIn: SignedIn;
  current: MyOrganization | undefined;
}) {
  const navigate = useNavigate();
  const matches = useMatches();
  if (organizations.length < 2) return null;
  const go = (organizationId: string): void => {
    enterOrganization(organizationId);
    const page = matches.at(-1)?.fullPath ?? '/';
    const same = page.startsWith('/organizations/');
    if (same)
      void navigate({ to: page as '/organizations/$organizationId/members', params: { organizationId } });
    else void navigate({ to: '/' });
  };
  return (
    <Menu
      trigger={
        <button type="button" className={css.organization}>
          <span className="visually-hidden">Organization: </span>
          <bdi className={css.projectName} title={current?.name}>
            {current?.name ?? 'No organization'}
          </bdi>
          <DownIcon />
        </button>
      }
      label="Organization"
      options={organizations.map(({ id, name }) => [id, name] as const)}
      value={current?.id ?? ''}
      onChoose={go}
    />
  );
}

export function ProjectSwitch({ projectId }: { projectId: string | undefined }) {
  const projects = useQuery(ask('listProjects', {}));
  const navigate = useNavigate();
  const items = projects.data?.items ?? [];
  const current = items.find(({ id }) => id === projectId);
  const elsewhere = projectId !== undefined && projects.isSuccess && !projects.isFetching && !current;
  useFollowProject(projectId, elsewhere);
  const [making, setMaking] = useState(false);
  const go = (id: string): void =>
    id === newProject
      ? setMaking(true)
      : void navigate({ to: '/projects/$projectId', params: { projectId: id } });
  return (
    <>
      <Menu
        trigger={
          <button type="button" className={css.project}>
            <span className="visually-hidden">Project: </span>
            <bdi className={css.projectName} title={current?.name}>
              {current?.name ?? (projectId === undefined ? 'Projects' : '…')}
            </bdi>
            <DownIcon />
          </button>
        }
        label="Project"
        options={[...items.map(({ id, name }) => [id, name] as const), [newProject, 'New project…']]}
        value={projectId ?? ''}
        onChoose={go}
      />
      {making && <NewProject organizationId={current?.organizationId} onClose={() => setMaking(false)} />}
    </>
  );
}

/** Follows a link to a project of another organization by switching to that organization. */
function useFollowProject(projectId = '', elsewhere: boolean): void {
  const { data } = useQuery({ ...ask('getProjectCapabilities', { projectId }), enabled: elsewhere });
  const organizationId = elsewhere ? data?.organizationId : undefined;
  useEffect(() => {
    if (organizationId !== undefined) enterOrganization(organizationId);
  }, [organizationId]);
}
