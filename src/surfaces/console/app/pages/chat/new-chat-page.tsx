import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ApiExample } from '../../api-example/api-example.tsx';
import { newKey } from '../../kit/new-key.ts';
import { Note } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';
import css from './chat.module.css';
import { Composer } from './composer.tsx';
import { setDraft } from './drafts.ts';
import { rememberClient } from './last-client.ts';
import { Live } from './live.tsx';
import { forgetTurn, sendAgain, sendTurn, startingIn, useConversationOf, useTurn } from './live-turns.ts';
import { SettingsForm, unset, useSettings } from './settings.tsx';

const route = '/projects/$projectId/sessions/new';

/** Form for a new chat. Settings and first message are kept until the model starts to answer. */
export function NewChatPage() {
  const { projectId } = useParams({ from: route });
  const navigate = useNavigate();
  const conversation = startingIn(projectId);
  const turn = useTurn(conversation);
  const [key, setKey] = useState<string>();
  const now = useConversationOf(key);
  const [settings, setSettings] = useState(unset);
  const { chosen, models, servers } = useSettings(projectId, settings);
  const { hostId } = chosen;
  useEffect(() => {
    if (now === undefined || now === conversation) return;
    rememberClient(now, hostId);
    void navigate({
      to: '/projects/$projectId/sessions/$sessionId',
      params: { projectId, sessionId: now },
      replace: true,
    });
  }, [now, conversation, hostId, navigate, projectId]);
  const send = (message: string): void => {
    const body = { idempotencyKey: newKey(), projectId, ...chosen, message };
    setKey(body.idempotencyKey);
    sendTurn(conversation, body);
  };
  return (
    <Page
      title="New chat"
      crumbs={[
        <Link key="chats" to="/projects/$projectId/sessions" params={{ projectId }}>
          Chat
        </Link>,
      ]}
    >
      <SettingsForm
        projectId={projectId}
        settings={settings}
        setSettings={setSettings}
        models={models}
        servers={servers}
      />
      {turn && (
        <ol className={css.conversation} aria-label="Conversation">
          <Live
            turn={turn}
            onAgain={() => setKey(sendAgain(conversation, turn))}
            onEdit={() => {
              setDraft(conversation, turn.body.message);
              forgetTurn(conversation);
            }}
          />
        </ol>
      )}
      {!turn && (
        <Note>These settings are fixed with the first message. To change them, start another chat.</Note>
      )}
      <Composer
        conversation={conversation}
        turn={turn}
        blocked={chosen.modelId === undefined ? 'Select a model first.' : undefined}
        onSend={send}
        example={
          <ApiExample
            operation="sendChatMessage"
            input={{ body: { idempotencyKey: 'KEY', projectId, ...chosen, message: 'MESSAGE' } }}
          />
        }
      />
    </Page>
  );
}
