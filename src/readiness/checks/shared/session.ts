import { from, notApplicable, type Outcome, satisfied, violated } from '../../check.ts';
import type { Evidence } from '../../evidence.ts';

/** Whether the revision without sessions is spoken. */
export function speaksModernRevision({ session }: Evidence): Outcome {
  return from(session, (facts) => {
    if (!facts.open) return notApplicable('No session came about');
    const { protocolVersion } = facts;
    return protocolVersion >= '2026-07-28'
      ? satisfied({ protocolVersion })
      : violated({ problem: 'Only older revisions are spoken', protocolVersion });
  });
}
