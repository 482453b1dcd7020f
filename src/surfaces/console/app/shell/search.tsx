import { Dialog } from '@base-ui/react/dialog';
import { useRouter } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { ask, useQuery } from '../api/index.ts';
import { TextInput } from '../kit/field.tsx';
import { useOrganization } from './organization.ts';
import { placesOf } from './places.tsx';
import css from './search.module.css';
import { usePlaces } from './use-places.ts';

interface Hit {
  key: string;
  name: string;
  kind: string;
  href: string;
}

const maxHits = 12;

/** Searches pages and resources by name, and resources by ID. */
export function Search({ projectId, onClose }: { projectId: string | undefined; onClose: () => void }) {
  const [words, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const router = useRouter();
  const listId = useId();
  const hits = useHits(projectId, words);
  const open = (hit: Hit | undefined): void => {
    if (!hit) return;
    onClose();
    router.history.push(hit.href);
  };
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && hits.length > 0) {
      event.preventDefault();
      setChosen((chosen + step + hits.length) % hits.length);
    }
    if (event.key === 'Enter') open(hits[chosen]);
  };
  const type = (text: string): void => {
    setText(text);
    setChosen(0);
  };
  return (
    <Dialog.Root open onOpenChange={(next) => next || onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={css.veil} />
        <Dialog.Popup className={css.popup} aria-label="Search">
          <TextInput
            role="combobox"
            aria-expanded="true"
            aria-controls={listId}
            aria-activedescendant={hits[chosen] ? `${listId}-${chosen}` : undefined}
            aria-label="Search pages, servers, suites, runs, environments and clients"
            placeholder="Pages, servers, suites, runs, environments, clients, or an ID"
            className={css.input}
            value={words}
            onChange={(event) => type(event.target.value)}
            onKeyDown={press}
            autoComplete="off"
          />
          <div role="listbox" id={listId} aria-label="Results" className={css.hits}>
            {hits.map((hit, at) => (
              <HitLine
                key={hit.key}
                id={`${listId}-${at}`}
                chosen={at === chosen}
                onPick={() => open(hit)}
                onPoint={() => setChosen(at)}
              >
                <bdi className={css.name} title={hit.name}>
                  {hit.name}
                </bdi>
                <span className={css.kind}>{hit.kind}</span>
              </HitLine>
            ))}
            {hits.length === 0 && <p className={css.none}>No results.</p>}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function HitLine({
  id,
  chosen,
  onPick,
  onPoint,
  children,
}: {
  id: string;
  chosen: boolean;
  onPick: () => void;
  onPoint: () => void;
  children: ReactNode;
}) {
  return (
    // The search field handles the keyboard and marks the active option with aria-activedescendant.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={chosen}
      className={css.hit}
      onClick={onPick}
      onPointerMove={onPoint}
    >
      {children}
    </div>
  );
}

function useHits(projectId: string | undefined, words: string): Hit[] {
  const router = useRouter();
  const inProject = projectId !== undefined;
  const organization = useOrganization();
  const places = usePlaces(projectId);
  const id = projectId ?? '';
  const projects = useQuery(ask('listProjects', {}));
  const servers = useQuery({ ...ask('listProjectServers', { projectId: id }), enabled: inProject });
  const suites = useQuery({ ...ask('listEvalSuites', { projectId: id }), enabled: inProject });
  const runs = useQuery({ ...ask('listEvalRuns', { projectId: id, limit: 50 }), enabled: inProject });
  const environments = useQuery({ ...ask('listEnvironments', { projectId: id }), enabled: inProject });
  const clients = useQuery({ ...ask('listClients', { projectId: id }), enabled: inProject });
  const suiteNames = new Map(suites.data?.items.map((suite) => [suite.id, suite.name ?? suite.id]));
  const href = (to: string, more: Record<string, string> = {}): string =>
    router.buildLocation({ to, params: { projectId: id, ...more } } as never).href;
  const asked = words.trim().toLowerCase();
  const all: Hit[] = [
    ...(inProject ? places.map(({ to, name }) => ({ key: to, name, kind: 'page', href: href(to) })) : []),
    ...(organization ? placesOf(organization) : []).map(({ to, name }) => ({
      key: to,
      name,
      kind: 'organization page',
      href: href(to, { organizationId: organization?.id ?? '' }),
    })),
    ...(servers.data?.items ?? []).map((server) => ({
      key: server.id,
      name: server.name,
      kind: 'server',
      href: href('/projects/$projectId/servers/$serverId', { serverId: server.id }),
    })),
    ...(suites.data?.items ?? []).map((suite) => ({
      key: suite.id,
      name: suite.name ?? suite.id,
      kind: 'suite',
      href: href('/projects/$projectId/suites/$suiteId', { suiteId: suite.id }),
    })),
    ...(environments.data?.items ?? []).map((environment) => ({
      key: environment.id,
      name: environment.name ?? environment.id,
      kind: 'environment',
      href: href('/projects/$projectId/environments/$environmentId', { environmentId: environment.id }),
    })),
    ...(clients.data?.items ?? []).map((client) => ({
      key: client.id,
      name: client.name,
      kind: 'client',
      href: href('/projects/$projectId/clients/$clientId', { clientId: client.id }),
    })),
    ...(runs.data?.items ?? []).map((run) => ({
      key: run.id,
      name: `${suiteNames.get(run.suiteId) ?? 'Run'} #${run.runNumber}`,
      kind: `run, ${(run.result ?? run.status).replace('_', ' ')}`,
      href: href('/projects/$projectId/runs/$runId', { runId: run.id }),
    })),
    ...(projects.data?.items ?? [])
      .filter((project) => project.id !== projectId)
      .map((project) => ({
        key: project.id,
        name: project.name,
        kind: 'project',
        href: router.buildLocation({ to: '/projects/$projectId', params: { projectId: project.id } }).href,
      })),
  ];
  const found = all.filter(
    ({ key, name, kind }) =>
      key === asked || asked.split(/\s+/).every((word) => `${name} ${kind}`.toLowerCase().includes(word)),
  );
  // Older runs are still found by ID.
  if (inProject && /^run_[0-9a-z]{26}$/.test(asked) && found.length === 0)
    found.push({
      key: asked,
      name: asked,
      kind: 'run by ID',
      href: href('/projects/$projectId/runs/$runId', { runId: asked }),
    });
  return found.slice(0, maxHits);
}
