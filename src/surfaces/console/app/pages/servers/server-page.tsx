import { Link, useParams, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ServerTab } from '../../addresses.ts';
import { ask, useQuery } from '../../api/index.ts';
import { partFrom } from '../../api/parts.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Id } from '../../kit/copy.tsx';
import { Skeleton } from '../../kit/notice.tsx';
import { Facts, Page } from '../../kit/page.tsx';
import { QueryState } from '../../kit/query-state.tsx';
import { StateBadge } from '../../kit/state.tsx';
import { TabLinks, tabClass } from '../../kit/tabs.tsx';
import { Time } from '../../kit/time.tsx';
import { ContractTab } from './contract-tab.tsx';
import { doctorState, useDoctor } from './doctor.ts';
import { HealthTab } from './health-tab.tsx';
import { PromptsTab } from './prompts-tab.tsx';
import { ResourcesTab } from './resources-tab.tsx';
import type { ServerRef } from './server-ref.ts';
import { SettingsTab } from './settings-tab.tsx';
import { ToolsTab } from './tools-tab.tsx';

const ConformanceTab = partFrom(
  () => import('../conformance/conformance-tab.tsx'),
  'ConformanceTab',
  () => <Skeleton lines={6} />,
);
const ReadinessTab = partFrom(
  () => import('../readiness/readiness-tab.tsx'),
  'ReadinessTab',
  () => <Skeleton lines={6} />,
);

const tabs: [ServerTab, string][] = [
  ['health', 'Health'],
  ['tools', 'Tools'],
  ['prompts', 'Prompts'],
  ['resources', 'Resources'],
  ['contract', 'Contract'],
  ['conformance', 'Conformance'],
  ['readiness', 'Readiness'],
  ['settings', 'Settings'],
];

export function ServerPage() {
  const which = useParams({ from: '/projects/$projectId/servers/$serverId' });
  const { tab = 'health' } = useSearch({ from: '/projects/$projectId/servers/$serverId' });
  const server = useQuery(ask('getProjectServer', which));
  const list = (
    <Link to="/projects/$projectId/servers" params={which}>
      Servers
    </Link>
  );
  if (!server.data)
    return (
      <Page title="Server" crumbs={[list]}>
        <QueryState of={server} lines={6} back={list} />
      </Page>
    );
  const { id, name, url, transportType, enabled, headerNames, envNames, updatedAt } = server.data;
  const { personalEnv = [] } = server.data;
  const overHttp = transportType === 'http';
  return (
    <Page
      title={name}
      crumbs={[list]}
      // Hidden on the Readiness tab, where “ready” for use could contradict “not ready” for a directory.
      mark={tab !== 'readiness' && <DoctorBadge which={which} enabled={enabled} examine={tab === 'health'} />}
      actions={<ApiExample operation="getProjectServer" input={which} />}
    >
      <Facts
        facts={[
          ['ID', <Id key="id" value={id} />],
          ['Transport', transportType],
          ['URL', url && <code key="url">{url}</code>],
          ['Stored headers', headerNames.join(', ')],
          ['Stored variables', envNames.join(', ')],
          ['Variables filled by personal secrets', personalEnv.join(', ')],
          ['Changed', <Time key="changed" at={updatedAt} />],
        ]}
      />
      <TabLinks label="About this server">
        {tabs
          .filter(([to]) => to !== 'readiness' || overHttp || tab === to)
          .map(([to, word]) => (
            <Link
              key={to}
              to="/projects/$projectId/servers/$serverId"
              params={which}
              search={to === 'health' ? {} : { tab: to }}
              className={tabClass}
              aria-current={to === tab ? 'page' : undefined}
              activeOptions={{ exact: true, includeSearch: true }}
            >
              {word}
            </Link>
          ))}
      </TabLinks>
      {shown[tab](which, overHttp)}
    </Page>
  );
}

const shown: Record<ServerTab, (which: ServerRef, overHttp: boolean) => ReactNode> = {
  health: (which) => <HealthTab which={which} />,
  tools: (which) => <ToolsTab which={which} />,
  prompts: (which) => <PromptsTab which={which} />,
  resources: (which) => <ResourcesTab which={which} />,
  contract: (which) => <ContractTab which={which} />,
  conformance: (which, overHttp) => <ConformanceTab which={which} overHttp={overHttp} />,
  readiness: (which, overHttp) => <ReadinessTab which={which} overHttp={overHttp} />,
  settings: (which) => <SettingsTab which={which} />,
};

/** Shows cached diagnostics; only the Health tab starts them. */
function DoctorBadge({ which, enabled, examine }: { which: ServerRef; enabled: boolean; examine: boolean }) {
  const doctor = useDoctor(which, examine);
  if (!enabled) return <StateBadge state="skipped">paused</StateBadge>;
  if (!doctor.data) return doctor.isFetching ? <StateBadge state="running">checking</StateBadge> : null;
  const { state, word } = doctorState(doctor.data.status);
  return <StateBadge state={state}>{word}</StateBadge>;
}
