import { notApplicable, type Outcome, whenKnown } from '../check.ts';
import type { Evidence, SessionFacts } from '../evidence.ts';

type OpenSession = Extract<SessionFacts, { open: true }>;

export function whenOpen({ session }: Evidence, judge: (session: OpenSession) => Outcome): Outcome {
  return whenKnown(session, (facts) =>
    facts.open ? judge(facts) : notApplicable('No MCP session was opened'),
  );
}
