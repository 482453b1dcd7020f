import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useSwarmsOff } from '../../api/features.ts';
import { partFrom } from '../../api/parts.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import { Page } from '../../kit/page.tsx';
import { PageTabs, type Tabs, tabFrom } from '../../kit/page-tabs.tsx';
import type { SwarmsSearch, SwarmTab } from './address.ts';
import { OverviewTab } from './overview-tab.tsx';
import { SwarmsOff } from './swarms-off.tsx';

const JourneysTab = tabFrom(() => import('./journeys-tab.tsx'), 'JourneysTab');
const PersonasTab = tabFrom(() => import('./personas-tab.tsx'), 'PersonasTab');
const SwarmsTab = tabFrom(() => import('./swarms-tab.tsx'), 'SwarmsTab');
const FindingsTab = tabFrom(() => import('./findings-tab.tsx'), 'FindingsTab');
const PersonaForm = partFrom(() => import('./persona-form.tsx'), 'PersonaForm');
const SwarmForm = partFrom(() => import('./swarm-form.tsx'), 'SwarmForm');
const Drafts = partFrom(() => import('./drafts.tsx'), 'Drafts');
const JourneyForm = partFrom(() => import('./journey/journey-form.tsx'), 'JourneyForm');

const route = '/projects/$projectId/swarms';

const tabs: Tabs<SwarmTab, [projectId: string]> = {
  overview: ['Overview', (projectId) => <OverviewTab projectId={projectId} />],
  journeys: ['Journeys', (projectId) => <JourneysTab projectId={projectId} />],
  personas: ['Personas', (projectId) => <PersonasTab projectId={projectId} />],
  swarms: ['Swarms', (projectId) => <SwarmsTab projectId={projectId} />],
  findings: ['Findings', (projectId) => <FindingsTab projectId={projectId} />],
};

/** Personas, their journeys, and recent results. */
export function SwarmsPage() {
  const { projectId } = useParams({ from: route });
  const { tab, make, edit } = useSearch({ from: route });
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
          <Button variant="primary" onClick={() => set({ make: 'journey' })}>
            New journey
          </Button>
        </>
      }
    >
      <PageTabs label="About swarms" tabs={tabs} given={[projectId]} chosen={tab} />
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
