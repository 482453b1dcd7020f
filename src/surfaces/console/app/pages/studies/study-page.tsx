import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useStudiesOff } from '../../api/features.ts';
import { ask, useQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Page } from '../../kit/page.tsx';
import { PageTabs, type Tabs, tabFrom } from '../../kit/page-tabs.tsx';
import { LoadingPage } from '../../kit/query-state.tsx';
import { StateBadge } from '../../kit/state.tsx';
import { EditStudy, RebindStudy, UnpublishStudy } from './actions.tsx';
import type { StudyTab } from './address.ts';
import { OverviewTab } from './overview-tab.tsx';
import { StudiesOff } from './studies-off.tsx';
import type { Study } from './study.ts';

const MembersTab = tabFrom(() => import('./members-tab.tsx'), 'MembersTab');
const SessionsTab = tabFrom(() => import('./sessions-tab.tsx'), 'SessionsTab');
const FindingsTab = tabFrom(() => import('./findings-tab.tsx'), 'FindingsTab');

const route = '/projects/$projectId/studies/$studyId';

const tabs: Tabs<StudyTab, [study: Study]> = {
  overview: ['Overview', (study) => <OverviewTab study={study} />],
  members: ['Members', (study) => <MembersTab study={study} />],
  sessions: ['Sessions', (study) => <SessionsTab study={study} />],
  findings: ['Findings', (study) => <FindingsTab study={study} />],
};

export function StudyPage() {
  const which = useParams({ from: route });
  const { projectId } = which;
  const { tab } = useSearch({ from: route });
  const off = useStudiesOff(projectId);
  const found = useQuery({ ...ask('getStudy', which), enabled: !off });
  const list = (
    <Link to="/projects/$projectId/studies" params={{ projectId }}>
      Studies
    </Link>
  );
  if (off) return <StudiesOff />;
  if (!found.data) return <LoadingPage of={found} title="Study" crumbs={[list]} />;
  const study: Study = { ...found.data, projectId };
  return (
    <Page
      title={study.name}
      crumbs={[list]}
      mark={!study.published && <StateBadge state="skipped">not published</StateBadge>}
      actions={
        <>
          <ApiExample operation="getStudy" input={which} />
          <EditStudy study={study} />
          <RebindStudy study={study} />
          {study.published && <UnpublishStudy study={study} />}
        </>
      }
    >
      <PageTabs label="About this study" tabs={tabs} given={[study]} chosen={tab} />
    </Page>
  );
}
