import { Link } from '@tanstack/react-router';
import swarms from '../swarms/swarms.module.css';

/** Links to example sessions. */
export function Evidence({
  which,
  sessionIds,
}: {
  which: { projectId: string; studyId: string };
  sessionIds: readonly string[];
}) {
  if (sessionIds.length === 0) return null;
  return (
    <ul className={swarms.evidence} aria-label="Example sessions">
      {sessionIds.map((sessionId, at) => (
        <li key={sessionId}>
          <Link
            to="/projects/$projectId/studies/$studyId/sessions/$sessionId"
            params={{ ...which, sessionId }}
          >
            session {at + 1}
          </Link>
        </li>
      ))}
    </ul>
  );
}
