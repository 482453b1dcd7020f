import { createHash } from 'node:crypto';
import { type Check, noneOf, notApplicable } from '../../../check.ts';
import { whenShown } from '../../shared/interfaces.ts';

/** The first half of the hash of the address. */
function domainOf(url: string): string {
  return `${createHash('sha256').update(url).digest('hex').slice(0, 32)}.claudemcpcontent.com`;
}

export const check: Check = {
  id: 'claude.apps.domain-format',
  title: 'A domain of its own is the one Claude gives',
  lane: 'optional-features',
  class: 'recommended',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Connectors: review criteria', section: 'MCP Apps' },
  remediation: 'Leave `_meta.ui.domain` out, or set it to the one that belongs to the address of the server.',
  evaluate: (evidence) =>
    whenShown(evidence, (all) => {
      const named = all.flatMap(({ domain }) => domain ?? []);
      if (named.length === 0) return notApplicable('No interface asks for a domain');
      const expected = domainOf(evidence.endpoint.url);
      return noneOf(
        named.filter((domain) => domain !== expected),
        `The domain is not ${expected}`,
      );
    }),
};
