export { decideToolCall } from './approvals.ts';
export { enterStudy, openStudy, requestStudyTicket } from './enter.ts';
export { getVisit, getVisitSession, giveVisitFeedback, watchVisit } from './read.ts';
export { sendVisitMessage } from './send.ts';
export { openVisitWidget, useVisitWidget } from './widgets.ts';
