import { Link, useNavigate } from '@tanstack/react-router';
import { api, ask, type Output, useAction, useQuery } from '../../api/index.ts';
import { Button } from '../../kit/button.tsx';
import common from '../../kit/common.module.css';
import { Section } from '../../kit/page.tsx';
import css from './overview.module.css';

type Servers = Output<'listProjectServers'>['items'];
type Suites = Output<'listEvalSuites'>['items'];

/** Onboarding until the first run. A new project uses the demo server and suite of the first project. */
export function FirstSteps(given: {
  projectId: string;
  servers: Servers;
  suites: Suites;
  /** The first project, in which the demo was saved. */
  first: string | undefined;
}) {
  const elsewhere =
    given.servers.length === 0 && given.first !== undefined && given.first !== given.projectId;
  const input = { projectId: given.first ?? given.projectId };
  const servers = useQuery({ ...ask('listProjectServers', input), enabled: elsewhere });
  const suites = useQuery({ ...ask('listEvalSuites', input), enabled: elsewhere });
  if (!elsewhere) return <Steps {...given} demoIn={given.projectId} />;
  const demo = (servers.data?.items ?? []).filter(({ name }) => name === 'demo');
  const demoSuites = (suites.data?.items ?? []).filter(({ name }) => name === 'demo');
  return <Steps {...given} servers={demo} suites={demoSuites} demoIn={input.projectId} />;
}

function Steps({
  projectId,
  demoIn,
  servers,
  suites,
}: {
  projectId: string;
  demoIn: string;
  servers: Servers;
  suites: Suites;
}) {
  const navigate = useNavigate();
  const server = servers.find(({ name }) => name === 'demo') ?? servers[0];
  const suite = suites.find(({ name }) => name === 'demo') ?? suites[0];
  const running = useAction(
    (suiteId: string) => api.createEvalRun({ projectId: demoIn, body: { suiteId } }),
    {
      onDone: ({ runId }) =>
        navigate({ to: '/projects/$projectId/runs/$runId', params: { projectId: demoIn, runId } }),
    },
  );
  return (
    <Section title="First steps">
      <ol className={css.steps}>
        {server && (
          <li>
            <div>
              <h3>Open {server.name === 'demo' ? 'the demo server' : server.name}</h3>
              <p className={common.soft}>See its diagnostics and call its tools from a form.</p>
            </div>
            <Button
              onClick={() =>
                void navigate({
                  to: '/projects/$projectId/servers/$serverId',
                  params: { projectId: demoIn, serverId: server.id },
                })
              }
            >
              Open server
            </Button>
          </li>
        )}
        {suite && (
          <li>
            <div>
              <h3>Run {suite.name === 'demo' ? 'the demo suite' : (suite.name ?? 'the suite')}</h3>
              <p className={common.soft}>
                {suite.name === 'demo'
                  ? 'Runs each case several times with a model that needs no key. One case fails, and the run shows why.'
                  : 'Runs each case several times and reports how often it passed.'}
              </p>
            </div>
            <Button busy={running.isPending} onClick={() => running.mutate(suite.id)}>
              Run suite
            </Button>
          </li>
        )}
        <li>
          <div>
            <h3>Add your own server</h3>
            <p className={common.soft}>
              By URL, by command, or{' '}
              <Link to="/projects/$projectId/servers" params={{ projectId }} search={{ add: 'paste' }}>
                from a client configuration
              </Link>
              .
            </p>
          </div>
          <Button
            variant="primary"
            onClick={() =>
              void navigate({
                to: '/projects/$projectId/servers',
                params: { projectId },
                search: { add: 'url' },
              })
            }
          >
            Add server
          </Button>
        </li>
      </ol>
    </Section>
  );
}
