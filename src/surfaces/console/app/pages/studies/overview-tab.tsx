import { Link } from '@tanstack/react-router';
import { useMemberOnly } from '../../api/features.ts';
import { ask, useQuery } from '../../api/index.ts';
import { partFrom } from '../../api/parts.ts';
import common from '../../kit/common.module.css';
import { Id } from '../../kit/copy.tsx';
import { DialogButton } from '../../kit/dialog-button.tsx';
import { LinkLine } from '../../kit/link-line.tsx';
import { Note } from '../../kit/notice.tsx';
import { Facts, Section } from '../../kit/page.tsx';
import { Time } from '../../kit/time.tsx';
import { ChangeMode, RotateLink } from './actions.tsx';
import { Guests } from './guests.tsx';
import { Metrics } from './metrics.tsx';
import { modeLabels, modes } from './modes.ts';
import css from './studies.module.css';
import type { Study } from './study.ts';
import { Usage } from './usage.tsx';

const PublishStudy = partFrom(() => import('./publish.tsx'), 'PublishStudy');

export function OverviewTab({ study }: { study: Study }) {
  return (
    <>
      {study.description && (
        <p className={common.prose} dir="auto">
          {study.description}
        </p>
      )}
      <StudyFacts study={study} />
      <Section title="Access">
        {study.published ? <AccessLink study={study} /> : <PublishAgain study={study} />}
      </Section>
      <Section title="Activity">
        <div className={css.sides}>
          <Metrics study={study} population="real" />
          <Metrics study={study} population="synthetic" />
        </div>
      </Section>
      <Usage study={study} />
      <Guests key={study.updatedAt} study={study} />
    </>
  );
}

function StudyFacts({ study }: { study: Study }) {
  const { projectId, environmentId, servers, updatedAt } = study;
  const environments = useQuery(ask('listEnvironments', { projectId, includeArchived: 'true' }));
  const name = environments.data?.items.find(({ id }) => id === environmentId)?.name;
  return (
    <Facts
      facts={[
        ['ID', <Id key="id" value={study.id} />],
        [
          'Environment',
          environmentId == null ? undefined : (
            <Link
              key="environment"
              to="/projects/$projectId/environments/$environmentId"
              params={{ projectId, environmentId }}
            >
              {name ?? environmentId}
            </Link>
          ),
        ],
        ['Client', study.hostName ?? 'broken configuration'],
        ['Model', study.modelId],
        ['Servers', servers.map((server) => server.name).join(', ') || 'none'],
        ['Tool calls', study.requireToolApproval ? 'need visitor approval' : 'run without approval'],
        ['Changed', updatedAt == null ? undefined : <Time key="changed" at={updatedAt} />],
      ]}
    />
  );
}

function AccessLink({ study }: { study: Study }) {
  const { mode, link } = study;
  return (
    <>
      <p>
        <strong>{modeLabels(mode)}.</strong>{' '}
        <span className={common.soft}>{modes.find(({ value }) => value === mode)?.hint}</span>
      </p>
      {link && <LinkLine url={link.url} label="Copy link" open="Open as a visitor" />}
      <div className={css.line}>
        <ChangeMode study={study} />
        <RotateLink study={study} />
      </div>
    </>
  );
}

function PublishAgain({ study }: { study: Study }) {
  const { projectId, environmentId } = study;
  const memberOnly = useMemberOnly(projectId);
  return (
    <>
      <Note>Not published. {memberOnly && 'A project administrator can publish it again.'}</Note>
      <div className={css.line}>
        <DialogButton
          disabled={memberOnly || environmentId == null}
          renderDialog={(close) => (
            <PublishStudy
              projectId={projectId}
              environmentId={environmentId ?? ''}
              again={study}
              onClose={close}
            />
          )}
        >
          Publish again
        </DialogButton>
      </div>
    </>
  );
}
