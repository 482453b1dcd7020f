import { ifKnown, notApplicable, type Outcome } from '../check.ts';
import type { Evidence, SessionFacts } from '../evidence.ts';

type OpenSession = Extract<SessionFacts, { open: true }>;

export function whenOpen({ session }: Evidence, judge: (session: OpenSession) => Outcome): Outcome {
  return ifKnown(session, (facts) =>
    facts.open ? judge(facts) : notApplicable('No MCP session was opened'),
  );
}
