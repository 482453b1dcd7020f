import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { Output } from '../../../../client/index.ts';
import { ask } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Section } from '../../kit/page.tsx';
import { complain } from '../../kit/toast.tsx';
import css from './overview.module.css';

type Servers = Output<'listProjectServers'>['items'];
type Suites = Output<'listEvalSuites'>['items'];

/** Before the first run: from a server that is there to one's own. A new project borrows the demo of the first one. */
export function FirstSteps(given: {
  projectId: string;
  servers: Servers;
  suites: Suites;
  /** The first of all projects, which the demo was saved in. */
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
  const running = useMutation({
    mutationFn: (suiteId: string) => api.createEvalRun({ projectId: demoIn, body: { suiteId } }),
    onSuccess: ({ runId }) =>
      navigate({ to: '/projects/$projectId/runs/$runId', params: { projectId: demoIn, runId } }),
    onError: complain,
  });
  return (
    <Section title="First steps">
      <ol className={css.steps}>
        {server && (
          <li>
            <div>
              <h3>Look at {server.name === 'demo' ? 'the demo server' : server.name}</h3>
              <p className={css.quiet}>
                It is examined step by step, and its tools can be called from a form.
              </p>
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
              <p className={css.quiet}>
                {suite.name === 'demo'
                  ? 'Each case is tried several times, with a model that needs no key. One fails, and the run says why.'
                  : 'Each case is tried several times; the run says how often it passed.'}
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
            <p className={css.quiet}>
              By its URL, by a command, or{' '}
              <Link to="/projects/$projectId/servers" params={{ projectId }} search={{ add: 'paste' }}>
                from the configuration of a client
              </Link>
              .
            </p>
          </div>
          <Button
            look="primary"
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
