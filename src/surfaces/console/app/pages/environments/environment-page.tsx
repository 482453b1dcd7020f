import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useMemberOnly, useStudiesOff } from '../../api/features.ts';
import { api, ask, useAction, useQuery } from '../../api/index.ts';
import { partFrom } from '../../api/parts.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button, linkClass } from '../../kit/button.tsx';
import { ConfirmButton } from '../../kit/confirm.tsx';
import { Id } from '../../kit/copy.tsx';
import { Note } from '../../kit/notice.tsx';
import { Facts, Page, Section } from '../../kit/page.tsx';
import { LoadingPage, QueryState } from '../../kit/query-state.tsx';
import { Revisions } from '../../kit/revisions.tsx';
import { StateBadge } from '../../kit/state.tsx';
import { Time } from '../../kit/time.tsx';
import { UsedBy } from '../../kit/used-by.tsx';
import { compositionOf, type Environment } from './composition.ts';
import { EnvironmentForm } from './environment-form.tsx';
import { fieldNames, useParts } from './parts.ts';
import { suitesWith } from './suites-with.ts';

const PublishStudy = partFrom(() => import('../studies/publish.tsx'), 'PublishStudy');

export function EnvironmentPage() {
  const which = useParams({ from: '/projects/$projectId/environments/$environmentId' });
  const { projectId } = which;
  const { edit } = useSearch({ from: '/projects/$projectId/environments/$environmentId' });
  const navigate = useNavigate({ from: '/projects/$projectId/environments/$environmentId' });
  const found = useQuery(ask('getEnvironment', which));
  const parts = useParts(projectId);
  const list = (
    <Link to="/projects/$projectId/environments" params={{ projectId }}>
      Environments
    </Link>
  );
  if (!found.data) return <LoadingPage of={found} title="Environment" crumbs={[list]} />;
  const environment = found.data;
  const { id, archived, revision, updatedAt } = environment;
  const name = environment.name ?? id;
  const composition = compositionOf(environment);
  return (
    <Page
      title={name}
      crumbs={[list]}
      mark={archived && <StateBadge state="skipped">archived</StateBadge>}
      actions={
        <>
          <ApiExample operation="getEnvironment" input={which} />
          <Archiving which={which} environment={environment} />
          {!archived && <Publishing which={which} />}
          <Button
            variant="primary"
            disabled={archived}
            onClick={() => void navigate({ search: { edit: true } })}
          >
            Edit
          </Button>
        </>
      }
    >
      {environment.description && <Note>{environment.description}</Note>}
      <Facts
        facts={[
          ['ID', <Id key="id" value={id} />],
          [
            'Client',
            <Link
              key="client"
              to="/projects/$projectId/clients/$clientId"
              params={{ projectId, clientId: environment.hostId }}
            >
              {parts.nameOf(environment.hostId)}
            </Link>,
          ],
          ['Servers', parts.nameOf(environment.serverAttachmentId) ?? 'from the client'],
          ['Model', environment.modelId ?? 'from the client'],
          ['Secrets', parts.words(composition.secretIds)],
          ['Skills', parts.words(composition.skillIds)],
          ['Plugins', parts.words(composition.pluginVersionIds)],
          ['Changed', <Time key="changed" at={updatedAt} />],
        ]}
      />
      {!archived && <Resolved which={which} />}
      <Revisions
        id={id}
        number={revision}
        at={updatedAt}
        value={composition}
        names={fieldNames}
        words={parts.words}
      />
      {edit && !archived && (
        <EnvironmentForm
          projectId={projectId}
          environment={environment}
          onClose={() => void navigate({ search: {}, replace: true })}
        />
      )}
    </Page>
  );
}

interface EnvironmentRef {
  projectId: string;
  environmentId: string;
}

function Resolved({ which }: { which: EnvironmentRef }) {
  const resolved = useQuery(ask('resolveEnvironment', which));
  return (
    <Section
      title="Resolved configuration"
      actions={<ApiExample operation="resolveEnvironment" input={which} />}
    >
      <QueryState of={resolved} lines={2} />
      {resolved.data && (
        <Facts
          facts={[
            ['Client', resolved.data.hostName],
            [
              'Model',
              `${resolved.data.effectiveModelId}, from the ${resolved.data.modelSource === 'host' ? 'client' : 'environment'}`,
            ],
            ['Servers', resolved.data.servers.map(({ name }) => name).join(', ') || 'none'],
            ['Plugins', resolved.data.pluginVersions.map(({ name }) => name).join(', ')],
          ]}
        />
      )}
    </Section>
  );
}

/** Publishes the environment as a study, if studies are enabled. */
function Publishing({ which }: { which: EnvironmentRef }) {
  const [open, setOpen] = useState(false);
  const off = useStudiesOff(which.projectId);
  const memberOnly = useMemberOnly(which.projectId);
  const studies = useQuery({ ...ask('listStudies', { projectId: which.projectId }), enabled: !off });
  const study = studies.data?.items.find(({ environmentId }) => environmentId === which.environmentId);
  if (off) return null;
  // The dialog stays open after publishing, because it shows the link.
  if (study && !open)
    return (
      <Link
        className={linkClass}
        to="/projects/$projectId/studies/$studyId"
        params={{ projectId: which.projectId, studyId: study.id }}
      >
        Study
      </Link>
    );
  return (
    <>
      <Button
        disabled={memberOnly}
        title={memberOnly ? 'Only project administrators can publish' : undefined}
        onClick={() => setOpen(true)}
      >
        Publish as study
      </Button>
      {open && <PublishStudy {...which} onClose={() => setOpen(false)} />}
    </>
  );
}

/** Archives or restores an environment. An archived one stays readable but cannot be used for runs. */
function Archiving({ which, environment }: { which: EnvironmentRef; environment: Environment }) {
  const { archived, name, revision: expectedRevision } = environment;
  const input = { ...which, body: { expectedRevision } };
  const restoring = useAction(() => api.restoreEnvironment(input), {
    says: `Environment ${name} restored`,
  });
  if (archived) return <Button action={restoring}>Restore</Button>;
  return (
    <ConfirmButton
      label="Archive"
      question={`Archive ${name}?`}
      write={() => api.archiveEnvironment(input)}
      says={`Environment ${name} archived`}
      example={<ApiExample operation="archiveEnvironment" input={input} />}
    >
      <p>
        The environment cannot be used for runs until it is restored. It stays readable, past runs keep what
        they recorded, and its name can be reused.
      </p>
      <AttachedSuites which={which} />
    </ConfirmButton>
  );
}

function AttachedSuites({ which }: { which: EnvironmentRef }) {
  const uses = useQuery(suitesWith(which.projectId, which.environmentId));
  if (!uses.data) return <QueryState of={uses} lines={1} />;
  return (
    <UsedBy
      {...uses.data}
      none="No suites are attached to this environment."
      lead="These suites are attached to this environment and will no longer run with it:"
    />
  );
}
