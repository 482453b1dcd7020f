import { Link, useParams, useSearch } from '@tanstack/react-router';
import type { ServerTab } from '../../addresses.ts';
import { useDoctor } from '../../api/doctor.ts';
import { ask, useQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Id } from '../../kit/copy.tsx';
import { Facts, Page } from '../../kit/page.tsx';
import { PageTabs, type Tabs, tabFrom } from '../../kit/page-tabs.tsx';
import { LoadingPage } from '../../kit/query-state.tsx';
import { StateBadge } from '../../kit/state.tsx';
import { Time } from '../../kit/time.tsx';
import type { ServerRef } from './address.ts';
import { ContractTab } from './contract-tab.tsx';
import { doctorState } from './doctor.ts';
import { HealthTab } from './health-tab.tsx';
import { PromptsTab } from './prompts-tab.tsx';
import { ResourcesTab } from './resources-tab.tsx';
import { SettingsTab } from './settings-tab.tsx';
import { ToolsTab } from './tools-tab.tsx';

const ConformanceTab = tabFrom(() => import('../conformance/conformance-tab.tsx'), 'ConformanceTab');
const ReadinessTab = tabFrom(() => import('../readiness/readiness-tab.tsx'), 'ReadinessTab');

const tabs: Tabs<ServerTab, [which: ServerRef, overHttp: boolean]> = {
  health: ['Health', (which) => <HealthTab which={which} />],
  tools: ['Tools', (which) => <ToolsTab which={which} />],
  prompts: ['Prompts', (which) => <PromptsTab which={which} />],
  resources: ['Resources', (which) => <ResourcesTab which={which} />],
  contract: ['Contract', (which) => <ContractTab which={which} />],
  conformance: ['Conformance', (which, overHttp) => <ConformanceTab which={which} overHttp={overHttp} />],
  readiness: ['Readiness', (which, overHttp) => <ReadinessTab which={which} overHttp={overHttp} />],
  settings: ['Settings', (which) => <SettingsTab which={which} />],
};

export function ServerPage() {
  const which = useParams({ from: '/projects/$projectId/servers/$serverId' });
  const { tab = 'health' } = useSearch({ from: '/projects/$projectId/servers/$serverId' });
  const server = useQuery(ask('getProjectServer', which));
  const list = (
    <Link to="/projects/$projectId/servers" params={which}>
      Servers
    </Link>
  );
  if (!server.data) return <LoadingPage of={server} title="Server" crumbs={[list]} />;
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
      <PageTabs
        label="About this server"
        tabs={tabs}
        given={[which, overHttp]}
        chosen={tab}
        hidden={overHttp || tab === 'readiness' ? undefined : 'readiness'}
      />
    </Page>
  );
}

/** Shows cached diagnostics; only the Health tab starts them. */
function DoctorBadge({ which, enabled, examine }: { which: ServerRef; enabled: boolean; examine: boolean }) {
  const doctor = useDoctor(which, examine);
  if (!enabled) return <StateBadge state="skipped">paused</StateBadge>;
  if (!doctor.data) return doctor.isFetching ? <StateBadge state="running">checking</StateBadge> : null;
  const { state, word } = doctorState(doctor.data.status);
  return <StateBadge state={state}>{word}</StateBadge>;
}
