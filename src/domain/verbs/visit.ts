export { readShared } from '../shares/read-shared.ts';
export { decideToolCall } from '../visits/approvals.ts';
export { enterStudy, openStudy, requestStudyTicket } from '../visits/enter.ts';
export { getVisit, getVisitSession, giveVisitFeedback, watchVisit } from '../visits/read.ts';
export { sendVisitMessage } from '../visits/send.ts';
export { openVisitWidget, useVisitWidget } from '../visits/widgets.ts';
