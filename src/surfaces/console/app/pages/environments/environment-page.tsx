import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { answersOf, ask } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { useMemberOnly, useStudiesOff } from '../../api/features.ts';
import { partFrom } from '../../api/parts.ts';
import { Button, linkClass } from '../../kit/button.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { Id } from '../../kit/copy.tsx';
import { Note, Problem, Skeleton } from '../../kit/notice.tsx';
import { Facts, Page, Section } from '../../kit/page.tsx';
import { Revisions } from '../../kit/revisions.tsx';
import { StateBadge } from '../../kit/state.tsx';
import { Time } from '../../kit/time.tsx';
import { complain, say } from '../../kit/toast.tsx';
import { UsedBy } from '../../kit/used-by.tsx';
import { Same } from '../../same/same.tsx';
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
  if (!found.data)
    return (
      <Page title="Environment" name="Environment" crumbs={[list]}>
        {found.isError ? (
          <Problem error={found.error} retry={() => void found.refetch()} back={list} />
        ) : (
          <Skeleton lines={6} />
        )}
      </Page>
    );
  const environment = found.data;
  const { id, archived, revision, updatedAt } = environment;
  const name = environment.name ?? id;
  const composition = compositionOf(environment);
  return (
    <Page
      title={name}
      name={name}
      crumbs={[list]}
      mark={archived && <StateBadge state="skipped">archived</StateBadge>}
      actions={
        <>
          <Same operation="getEnvironment" input={which} />
          <Archiving which={which} environment={environment} />
          {!archived && <Publishing which={which} />}
          <Button
            look="primary"
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
          ['Id', <Id key="id" value={id} />],
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
          ['Servers', parts.nameOf(environment.serverAttachmentId) ?? 'those of the client'],
          ['Model', environment.modelId ?? 'that of the client'],
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

interface Which {
  projectId: string;
  environmentId: string;
}

/** What somebody who looks at this would run with now. */
function Resolved({ which }: { which: Which }) {
  const resolved = useQuery(ask('resolveEnvironment', which));
  return (
    <Section title="What a run would use now" actions={<Same operation="resolveEnvironment" input={which} />}>
      {resolved.isPending && <Skeleton lines={2} />}
      {resolved.isError && <Problem error={resolved.error} retry={() => void resolved.refetch()} />}
      {resolved.data && (
        <Facts
          facts={[
            ['Client', resolved.data.hostName],
            [
              'Model',
              `${resolved.data.effectiveModelId}, ${resolved.data.modelSource === 'host' ? 'of the client' : 'of the environment'}`,
            ],
            ['Servers', resolved.data.servers.map(({ name }) => name).join(', ') || 'none'],
            ['Plugins', resolved.data.pluginVersions.map(({ name }) => name).join(', ')],
          ]}
        />
      )}
    </Section>
  );
}

/** Puts it behind a link for people to try, where there are studies. */
function Publishing({ which }: { which: Which }) {
  const [open, setOpen] = useState(false);
  const off = useStudiesOff(which.projectId);
  const memberOnly = useMemberOnly(which.projectId);
  const studies = useQuery({ ...ask('listStudies', { projectId: which.projectId }), enabled: !off });
  const study = studies.data?.items.find(({ environmentId }) => environmentId === which.environmentId);
  if (off) return null;
  // While the dialog that published it shows its link, it stays.
  if (study && !open)
    return (
      <Link
        className={linkClass}
        to="/projects/$projectId/studies/$studyId"
        params={{ projectId: which.projectId, studyId: study.id }}
      >
        Its study
      </Link>
    );
  return (
    <>
      <Button
        disabled={memberOnly}
        title={memberOnly ? 'Administrators of the project publish' : undefined}
        onClick={() => setOpen(true)}
      >
        Publish as a study
      </Button>
      {open && <PublishStudy {...which} onClose={() => setOpen(false)} />}
    </>
  );
}

/** Archived, it stays readable and nothing runs with it. */
function Archiving({ which, environment }: { which: Which; environment: Environment }) {
  const [asking, setAsking] = useState(false);
  const uses = useQuery({ ...suitesWith(which.projectId, which.environmentId), enabled: asking });
  const queryClient = useQueryClient();
  const { archived, revision: expectedRevision } = environment;
  const input = { ...which, body: { expectedRevision } };
  const turning = useMutation({
    mutationFn: () => (archived ? api.restoreEnvironment(input) : api.archiveEnvironment(input)),
    onSuccess: async ({ name }) => {
      setAsking(false);
      say(archived ? `Environment ${name} restored` : `Environment ${name} archived`);
      for (const id of ['listEnvironments', 'getEnvironment', 'getClient'] as const)
        await queryClient.invalidateQueries(answersOf(id));
    },
    onError: complain,
  });
  if (archived)
    return (
      <Button busy={turning.isPending} onClick={() => turning.mutate()}>
        Restore
      </Button>
    );
  return (
    <>
      <Button onClick={() => setAsking(true)}>Archive</Button>
      {asking && (
        <Confirm
          onClose={() => setAsking(false)}
          title={`Archive ${environment.name}?`}
          verb="Archive"
          busy={turning.isPending}
          same={<Same operation="archiveEnvironment" input={input} />}
          onConfirm={() => turning.mutate()}
          lost={
            <>
              <p>
                Nothing can be run with it until it is restored. It stays readable, runs keep what they
                recorded, and its name is free for another.
              </p>
              {uses.isPending && <Skeleton lines={1} />}
              {uses.isError && <Problem error={uses.error} retry={() => void uses.refetch()} />}
              {uses.data && (
                <UsedBy
                  {...uses.data}
                  none="No suite is attached to it."
                  lead="These suites are attached to it, and cannot run with it then:"
                />
              )}
            </>
          }
        />
      )}
    </>
  );
}
