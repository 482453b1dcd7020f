import type { Actor, GrantContext, ProjectContext } from '../context/context.ts';

/**
 * A project context for a visitor. The user in it is the visitor, never an account, so that no personal data is
 * reachable.
 */
export function inProject(context: GrantContext): ProjectContext {
  const { visitor, study, project } = context.grant;
  const { createdAt, lastSeenAt } = visitor;
  const user: Actor['user'] = {
    id: visitor.id,
    email: '',
    name: visitor.displayName ?? 'Visitor',
    imageUrl: null,
    createdAt,
    updatedAt: lastSeenAt,
  };
  const organization = { id: study.organizationId, plan: study.plan };
  return Object.assign({}, context, {
    actor: { keyId: undefined, user, organization, role: 'member' as const },
    project,
  });
}
