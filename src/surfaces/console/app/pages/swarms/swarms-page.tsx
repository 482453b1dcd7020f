import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSwarmsOff } from '../../api/features.ts';
import { partFrom } from '../../api/parts.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import { Skeleton } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';
import { TabLinks, tabClass } from '../../kit/tabs.tsx';
import type { SwarmsSearch, SwarmTab } from './address.ts';
import { OverviewTab } from './overview-tab.tsx';
import { SwarmsOff } from './swarms-off.tsx';

const loadingTab = () => <Skeleton lines={8} />;
const JourneysTab = partFrom(() => import('./journeys-tab.tsx'), 'JourneysTab', loadingTab);
const PersonasTab = partFrom(() => import('./personas-tab.tsx'), 'PersonasTab', loadingTab);
const SwarmsTab = partFrom(() => import('./swarms-tab.tsx'), 'SwarmsTab', loadingTab);
const FindingsTab = partFrom(() => import('./findings-tab.tsx'), 'FindingsTab', loadingTab);
const PersonaForm = partFrom(() => import('./persona-form.tsx'), 'PersonaForm');
const SwarmForm = partFrom(() => import('./swarm-form.tsx'), 'SwarmForm');
const Drafts = partFrom(() => import('./drafts.tsx'), 'Drafts');
const JourneyForm = partFrom(() => import('./journey/journey-form.tsx'), 'JourneyForm');

const route = '/projects/$projectId/swarms';

const tabs: [SwarmTab, string][] = [
  ['overview', 'Overview'],
  ['journeys', 'Journeys'],
  ['personas', 'Personas'],
  ['swarms', 'Swarms'],
  ['findings', 'Findings'],
];

const shown: Record<SwarmTab, (projectId: string) => ReactNode> = {
  overview: (projectId) => <OverviewTab projectId={projectId} />,
  journeys: (projectId) => <JourneysTab projectId={projectId} />,
  personas: (projectId) => <PersonasTab projectId={projectId} />,
  swarms: (projectId) => <SwarmsTab projectId={projectId} />,
  findings: (projectId) => <FindingsTab projectId={projectId} />,
};

/** Personas, their journeys, and recent results. */
export function SwarmsPage() {
  const { projectId } = useParams({ from: route });
  const { tab = 'overview', make, edit } = useSearch({ from: route });
  const navigate = useNavigate({ from: route });
  const off = useSwarmsOff(projectId);
  if (off) return <SwarmsOff />;
  const set = (changed: SwarmsSearch): void =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true });
  const close = (): void => set({ make: undefined, edit: undefined });
  return (
    <Page
      title="Swarms"
      actions={
        <>
          <ApiExample operation="getSwarmOverview" input={{ projectId }} />
          <Button onClick={() => set({ make: 'drafts' })}>Draft with a model</Button>
          <Button onClick={() => set({ make: 'swarm' })}>New swarm</Button>
          <Button onClick={() => set({ make: 'persona' })}>New persona</Button>
          <Button look="primary" onClick={() => set({ make: 'journey' })}>
            New journey
          </Button>
        </>
      }
    >
      <TabLinks label="About swarms">
        {tabs.map(([to, word]) => (
          <Link
            key={to}
            to={route}
            params={{ projectId }}
            search={to === 'overview' ? {} : { tab: to }}
            className={tabClass}
            aria-current={to === tab ? 'page' : undefined}
            activeOptions={{ exact: true, includeSearch: true }}
          >
            {word}
          </Link>
        ))}
      </TabLinks>
      {shown[tab](projectId)}
      {make === 'persona' && <PersonaForm projectId={projectId} onClose={close} />}
      {make === 'swarm' && <SwarmForm projectId={projectId} onClose={close} />}
      {make === 'drafts' && <Drafts projectId={projectId} onClose={close} />}
      {make === 'journey' && (
        <JourneyForm
          projectId={projectId}
          onClose={close}
          onSaved={(journeyId) =>
            void navigate({
              to: '/projects/$projectId/swarms/journeys/$journeyId',
              params: { projectId, journeyId },
            })
          }
        />
      )}
      {edit !== undefined && tab === 'personas' && (
        <PersonaForm projectId={projectId} personaId={edit} onClose={close} />
      )}
      {edit !== undefined && tab === 'swarms' && (
        <SwarmForm projectId={projectId} swarmId={edit} onClose={close} />
      )}
    </Page>
  );
}
