import { useState } from 'react';
import { ask, type Output, useQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { newKey } from '../../kit/new-key.ts';
import { Composer } from './composer.tsx';
import { lastClient, rememberClient } from './last-client.ts';
import { limitsBody, noLimits, TurnLimits } from './limits.tsx';
import { sendTurn } from './live-turns.ts';
import { SettingsForm, unset, useSettings } from './settings.tsx';
import type { LiveTurn } from './turn-state.ts';

type Session = Output<'getChatSession'>;

/** Composer for the next message, with the options of that turn. */
export function Continue({
  which: { projectId, sessionId },
  session,
  live,
}: {
  which: { projectId: string; sessionId: string };
  session: Session | undefined;
  live: LiveTurn | undefined;
}) {
  const [limits, setLimits] = useState(() => ({ ...noLimits, hostId: lastClient(sessionId) }));
  // A session that was created by opening a browser has no settings yet.
  const undecided = session?.apiConfigState === 'unconfigured';
  const [settings, setSettings] = useState(unset);
  const { chosen, models, servers } = useSettings(projectId, settings, undecided);
  const environmentId = session?.environmentId ?? undefined;
  const resolved = useQuery({
    ...ask('resolveEnvironment', { projectId, environmentId: environmentId ?? '' }),
    enabled: environmentId !== undefined,
  });
  const serverIds = environmentId === undefined ? session?.serverIds : resolved.data?.effectiveServerIds;
  const said = { ...(undecided && chosen), ...limitsBody(limits) };
  const send = (message: string): void => {
    rememberClient(sessionId, said.hostId);
    sendTurn(sessionId, { idempotencyKey: newKey(), sessionId, message, ...said });
    setLimits({ ...noLimits, hostId: limits.hostId, browser: limits.browser });
  };
  return (
    <>
      {undecided && (
        <SettingsForm
          projectId={projectId}
          settings={settings}
          setSettings={setSettings}
          models={models}
          servers={servers}
        />
      )}
      <Composer
        conversation={sessionId}
        turn={live}
        blocked={undecided && chosen.modelId === undefined ? 'Select a model first.' : undefined}
        onSend={send}
        example={
          <ApiExample
            operation="sendChatMessage"
            input={{ body: { idempotencyKey: 'KEY', sessionId, message: 'MESSAGE', ...said } }}
          />
        }
      >
        <TurnLimits projectId={projectId} serverIds={serverIds ?? []} limits={limits} setLimits={setLimits} />
      </Composer>
    </>
  );
}
