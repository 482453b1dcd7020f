export { browserAgentClose } from '../browser-sessions/close.ts';
export { browserAgentCommand } from '../browser-sessions/command.ts';
export { browserAgentNote } from '../browser-sessions/note.ts';
export { browserAgentSession } from '../browser-sessions/open.ts';
export { browserAgentArtifact, browserAgentSessions, browserAgentTrace } from '../browser-sessions/trace.ts';
export { chatSessionBrowserOpen, createChatSessionBrowser } from '../chat-sessions/browser/open.ts';
export {
  chatSessionBrowserArtifact,
  chatSessionBrowserClose,
  chatSessionBrowserCommand,
  chatSessionBrowserNote,
  chatSessionBrowserTrace,
} from '../chat-sessions/browser/operate.ts';
export { listChatSessions, listSessions } from '../chat-sessions/list.ts';
export { getChatSession, getChatSessionTrace } from '../chat-sessions/read.ts';
export { sendChatMessage, streamChatMessage } from '../chat-sessions/send.ts';
export { getShare, updateShare } from '../shares/share.ts';
export { getStudyMetrics, getStudyUsage } from '../studies/analysis/figures.ts';
export {
  dismissStudyFinding,
  listStudyFindings,
  undismissStudyFinding,
} from '../studies/analysis/findings.ts';
export {
  cancelStudyInsights,
  getStudyWindowInsights,
  requestStudyInsights,
} from '../studies/analysis/insights.ts';
export { getStudySignals } from '../studies/analysis/windows.ts';
export { createEvalCaseFromStudySession } from '../studies/make-case.ts';
export { listStudyMembers, removeStudyMember, upsertStudyMember } from '../studies/members.ts';
export { publishStudy, unpublishStudy } from '../studies/publish.ts';
export { getStudy, listStudies } from '../studies/read.ts';
export { getStudySession, listStudySessions } from '../studies/sessions.ts';
export { rebindStudy, rotateStudyLink, setStudyGuestExecution, updateStudy } from '../studies/update.ts';
