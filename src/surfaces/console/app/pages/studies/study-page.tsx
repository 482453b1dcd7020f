import { Link, useParams, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useStudiesOff } from '../../api/features.ts';
import { ask, useQuery } from '../../api/index.ts';
import { partFrom } from '../../api/parts.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Skeleton } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';
import { QueryState } from '../../kit/query-state.tsx';
import { StateBadge } from '../../kit/state.tsx';
import { TabLinks, tabClass } from '../../kit/tabs.tsx';
import { EditStudy, RebindStudy, UnpublishStudy } from './actions.tsx';
import type { StudyTab } from './address.ts';
import { OverviewTab } from './overview-tab.tsx';
import { StudiesOff } from './studies-off.tsx';
import type { Study } from './study.ts';

const loadingTab = () => <Skeleton lines={8} />;
const MembersTab = partFrom(() => import('./members-tab.tsx'), 'MembersTab', loadingTab);
const SessionsTab = partFrom(() => import('./sessions-tab.tsx'), 'SessionsTab', loadingTab);
const FindingsTab = partFrom(() => import('./findings-tab.tsx'), 'FindingsTab', loadingTab);

const route = '/projects/$projectId/studies/$studyId';

const tabs: [StudyTab, string][] = [
  ['overview', 'Overview'],
  ['members', 'Members'],
  ['sessions', 'Sessions'],
  ['findings', 'Findings'],
];

const shown: Record<StudyTab, (study: Study) => ReactNode> = {
  overview: (study) => <OverviewTab study={study} />,
  members: (study) => <MembersTab study={study} />,
  sessions: (study) => <SessionsTab study={study} />,
  findings: (study) => <FindingsTab study={study} />,
};

export function StudyPage() {
  const which = useParams({ from: route });
  const { projectId, studyId } = which;
  const { tab = 'overview' } = useSearch({ from: route });
  const off = useStudiesOff(projectId);
  const found = useQuery({ ...ask('getStudy', which), enabled: !off });
  const list = (
    <Link to="/projects/$projectId/studies" params={{ projectId }}>
      Studies
    </Link>
  );
  if (off) return <StudiesOff />;
  if (!found.data)
    return (
      <Page title="Study" crumbs={[list]}>
        <QueryState of={found} lines={8} back={list} />
      </Page>
    );
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
      <TabLinks label="About this study">
        {tabs.map(([to, word]) => (
          <Link
            key={to}
            to={route}
            params={{ projectId, studyId }}
            search={to === 'overview' ? {} : { tab: to }}
            className={tabClass}
            aria-current={to === tab ? 'page' : undefined}
            activeOptions={{ exact: true, includeSearch: true }}
          >
            {word}
          </Link>
        ))}
      </TabLinks>
      {shown[tab](study)}
    </Page>
  );
}
