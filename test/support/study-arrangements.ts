import { newId } from '../../src/platform/ids.ts';
import { within } from './path-parameters.ts';
import type { TestService } from './service.ts';

type Parameters = Record<string, string>;
type Arrangement = (service: TestService, parameters: Parameters) => Promise<Parameters>;

/** A study under either of its names. */
const studyIn = ({ studyId, scenarioId }: Parameters): string => (studyId ?? scenarioId) as string;

/** A session with a new message. */
async function withSession(service: TestService, parameters: Parameters): Promise<Parameters> {
  const [sessionId, visitorId] = [newId('chat'), newId('vis')];
  await within(
    service,
    `with study as (select * from studies where id = $1),
     visitor as (insert into study_visitors (id, study_id, kind, device_kind) select $2, id, 'guest', 'desktop' from study
       returning id),
     chat as (insert into chat_sessions (id, organization_id, project_id, visitor_id, origin, title, config, message_count,
         first_message)
       select $3, s.organization_id, s.project_id, v.id, 'study', 'fixture', '{}', 1, $3 from study s, visitor v
       returning id),
     said as (insert into chat_messages (session_id, number, turn_id, role, content, words)
       select id, 0, 'turn', 'user', to_jsonb($3::text), to_tsvector('simple', '') from chat)
     insert into study_sessions (session_id, study_id, visitor_id, environment_id, came_back, model_id)
       select c.id, s.id, v.id, s.environment_id, false, 'drydock/rehearsal' from study s, visitor v, chat c`,
    [studyIn(parameters), visitorId, sessionId],
  );
  return { sessionId };
}

async function withFinding(service: TestService, parameters: Parameters): Promise<Parameters> {
  const findingId = newId('sfnd');
  await within(
    service,
    `insert into study_findings (id, study_id, fingerprint, dimension, subject, status, occurrence_count, last_seen_wave_id,
       first_seen_at, last_seen_at)
     values ($1, $2, $1, 'tools', '{"kind":"tool","id":"x","label":"x"}', 'new', 1, 'win_20260105', now(), now())`,
    [findingId, studyIn(parameters)],
  );
  return { findingId };
}

/** An analyzed week for which nobody has requested insights. */
async function withWindow(service: TestService, parameters: Parameters): Promise<Parameters> {
  const values = [studyIn(parameters)];
  await within(service, 'delete from study_insights where study_id = $1', values);
  return within(
    service,
    `insert into study_windows (study_id, id, start_at, analysed_at, sessions, signals)
     values ($1, 'win_20260105', '2026-01-05T00:00:00Z', now(), 0,
       '{"candidates":[],"sessionCount":0,"feedbackCount":0,"truncated":false,"lowConfidence":true}')
     on conflict do nothing`,
    values,
  );
}

async function withInsights(service: TestService, parameters: Parameters): Promise<Parameters> {
  await withWindow(service, parameters);
  return within(
    service,
    `insert into study_insights (study_id, wave_id, status, requested_by) values ($1, 'win_20260105', 'completed', 'somebody')`,
    [studyIn(parameters)],
  );
}

async function withMember(service: TestService, parameters: Parameters): Promise<Parameters> {
  return within(
    service,
    `insert into study_members (id, study_id, email, invited_by) values ($1, $2, 'fixture@example.com', 'somebody')
     on conflict do nothing`,
    [newId('smem'), studyIn(parameters)],
  );
}

async function published(
  service: TestService,
  { projectId, environmentId }: Parameters,
): Promise<Parameters> {
  await service.request('PUT', `/projects/${projectId}/environments/${environmentId}/study`);
  return {};
}

/** Makes a row of the study in each of its tables. */
export async function fillStudy(service: TestService, parameters: Parameters): Promise<void> {
  const { sessionId } = await withSession(service, parameters);
  await withMember(service, parameters);
  await withFinding(service, parameters);
  await withInsights(service, parameters);
  for (const statement of [
    `insert into study_turns (session_id, turn_id, asked, answered, duration_ms, calls, input_tokens, output_tokens, micros)
     values ($1, 'turn', '', true, 1, '[]', 0, 0, 0)`,
    `insert into study_widgets (session_id, tool_call_id, server_id, tool, uri, input, result)
     values ($1, 'call', 'srv', '{}', 'ui://x', '{}', '{}')`,
    `insert into tool_approvals (turn_id, tool_call_id, session_id) values ('turn', $1, $1)`,
    `insert into study_grants (token_hash, visitor_id, access_version)
     select decode(md5($1::text), 'hex'), visitor_id, 1 from study_sessions where session_id = $1`,
    `insert into study_tickets (hash, member_id, expires_at)
     select decode(md5($1::text), 'hex'), m.id, now() from study_sessions s join study_members m on m.study_id = s.study_id where s.session_id = $1`,
    `insert into study_spending (study_id, day, micros) select study_id, '2026-01-05', 1 from study_sessions where session_id = $1`,
    `insert into study_observations (study_id, fingerprint, wave_id, wave_at, fired, affected, total)
     select study_id, 'f', 'win_20260105', now(), true, 1, 1 from study_sessions where session_id = $1`,
    `insert into study_visits (organization_id, study_id, window_id, session_id, last_activity_at)
     select organization_id, study_id, 'win_20260105', session_id, now() from study_sessions where session_id = $1`,
    `insert into study_readings (organization_id, study_id, window_id, session_id, fingerprint, detector, dimension, subject,
       happened, certain)
     select organization_id, study_id, 'win_20260105', session_id, 'f', 'd', 'tools', '{}', true, false
     from study_sessions where session_id = $1`,
  ])
    await within(service, statement, [sessionId]);
}

/** The prepared states that the examples of studies need. */
export const studyArrangements: Record<string, Arrangement> = {
  getStudySession: withSession,
  getUserTestingSession: withSession,
  createEvalCaseFromStudySession: withSession,
  getStudyMetrics: withSession,
  getUserTestingMetrics: withSession,
  getStudyUsage: withSession,
  getUserTestingUsage: withSession,
  getStudySignals: withWindow,
  getUserTestingSignals: withWindow,
  requestStudyInsights: withWindow,
  requestUserTestingInsights: withWindow,
  getStudyWindowInsights: withInsights,
  getUserTestingWindowInsights: withInsights,
  cancelStudyInsights: withInsights,
  cancelUserTestingInsights: withInsights,
  dismissStudyFinding: withFinding,
  dismissUserTestingFinding: withFinding,
  undismissStudyFinding: withFinding,
  undismissUserTestingFinding: withFinding,
  unpublishStudy: published,
  unpublishScenario: published,
  removeStudyMember: withMember,
  removeScenarioMember: withMember,
};
