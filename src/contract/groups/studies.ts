import * as browserSessions from '../browser-sessions.ts';
import * as chatSessionBrowsers from '../chat-session-browsers.ts';
import * as chatSessions from '../chat-sessions.ts';
import { operationsOf } from '../operation.ts';
import * as sessions from '../sessions.ts';
import * as shares from '../shares.ts';
import * as studies from '../studies.ts';
import * as studyInsights from '../study-insights.ts';
import * as studySessions from '../study-sessions.ts';

export const declared = {
  ...studies,
  ...studySessions,
  ...studyInsights,
  ...shares,
  ...sessions,
  ...chatSessions,
  ...chatSessionBrowsers,
  ...browserSessions,
};
export const operations = operationsOf('studies', declared);
