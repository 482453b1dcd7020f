import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Note } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';
import { Same } from '../../same/same.tsx';
import css from './chat.module.css';
import { Composer } from './composer.tsx';
import { setDraft } from './drafts.ts';
import { rememberClient } from './last-client.ts';
import { Live } from './live.tsx';
import {
  forgetTurn,
  newKey,
  sendAgain,
  sendTurn,
  startingIn,
  useConversationOf,
  useTurn,
} from './live-turns.ts';
import { SettingsForm, unset, useSettings } from './settings.tsx';

const route = '/projects/$projectId/sessions/new';

/** What a chat is held with, and its first message; both stay here until the model has begun to answer. */
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
      name="New chat"
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
        <Note>The first message decides all of this for the chat; another choice needs another chat.</Note>
      )}
      <Composer
        conversation={conversation}
        turn={turn}
        blocked={chosen.modelId === undefined ? 'Choose a model first.' : undefined}
        onSend={send}
        same={
          <Same
            operation="sendChatMessage"
            input={{ body: { idempotencyKey: 'KEY', projectId, ...chosen, message: 'MESSAGE' } }}
          />
        }
      />
    </Page>
  );
}
