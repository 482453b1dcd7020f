import { createRoute } from '@tanstack/react-router';
import { pageFrom } from '../api/parts.ts';
import { chatSearch, chatsSearch } from '../pages/chat/address.ts';
import { project } from './root.tsx';

const getParentRoute = () => project;

const chats = createRoute({
  getParentRoute,
  path: 'sessions',
  validateSearch: chatsSearch,
  component: pageFrom(() => import('../pages/chat/chats-page.tsx'), 'ChatsPage'),
});

const newChat = createRoute({
  getParentRoute,
  path: 'sessions/new',
  component: pageFrom(() => import('../pages/chat/new-chat-page.tsx'), 'NewChatPage'),
});

const chat = createRoute({
  getParentRoute,
  path: 'sessions/$sessionId',
  validateSearch: chatSearch,
  component: pageFrom(() => import('../pages/chat/chat-page.tsx'), 'ChatPage'),
});

export const chatRoutes = [chats, newChat, chat] as const;
