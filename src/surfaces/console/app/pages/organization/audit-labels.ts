/** Actions whose generated text would read badly. */
const words: Record<string, string> = {
  'session.begin': 'signed in',
  'session.end': 'signed out or ended a session',
  'session.refuse': 'failed to sign in',
  'link.create': 'created a sign-in link',
  'link.use': 'used a sign-in link',
  'password.change': 'changed their password',
  'password.reset': 'reset their password by link',
  'password.request-reset': 'requested a password reset link',
  'password.make-reset-link': 'created a password reset link',
  'identity.link': 'linked an identity',
  'identity.unlink': 'unlinked an identity',
  'user.create': 'created an account',
  'user.update': 'changed their name',
  'user.request-email': 'requested an email change',
  'user.change-email': 'changed their email',
  'member.join': 'joined',
  'member.remove': 'removed a member',
  'invitation.create': 'invited someone',
  'invitation.accept': 'accepted an invitation',
  'invitation.revoke': 'revoked an invitation',
  'key.create': 'created an API key',
  'key.revoke': 'revoked an API key',
  'project-member.remove': 'revoked a project invitation',
  'organization.update': 'changed the organization',
  'spend-budget.set': 'set the spend cap',
  'spend-budget.clear': 'removed the spend cap',
  'eval-run.create': 'started a run',
  'eval-run.cancel': 'cancelled a run',
  'study.publish': 'published a study',
  'study.unpublish': 'unpublished a study',
  'study.mode-project_members': 'restricted a study to project members',
  'study.mode-invited_only': 'restricted a study to invited people',
  'study.mode-anyone_with_link': 'opened a study to anyone with the link',
  'study.rotate-link': 'replaced the link of a study',
  'study.rebind': 'moved a study to another environment',
  'study.invite': 'invited someone to a study',
  'study.remove-member': 'removed someone from a study',
  'study.guest-execution': 'changed guest limits of a study',
  'share.open': 'shared a run',
  'share.close': 'stopped sharing a run',
  'registry.install': 'installed a server',
  'registry.uninstall': 'uninstalled a server',
  'registry.guest-token': 'created a directory guest token',
};

const verbs: Record<string, string> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  cancel: 'cancelled',
  retry: 'retried:',
  sync: 'imported:',
  report: 'reported',
  upload: 'uploaded',
  save: 'saved',
  archive: 'archived',
  restore: 'restored',
  revoke: 'revoked',
};

/** Describes an action: `key.create` becomes “created an API key”. Unknown actions keep their name. */
export function actionText(action: string): string {
  const known = words[action];
  if (known !== undefined) return known;
  const [thing = '', verb = ''] = action.split('.');
  const role = /^make-(\w+)$/.exec(verb)?.[1];
  if (role !== undefined && thing === 'member') return `set a member's role to ${role}`;
  if (role !== undefined && thing === 'project-member') return `set a member's project role to ${role}`;
  const said = verbs[verb];
  return said === undefined || thing === '' ? action : `${said} ${withArticle(thing.replaceAll('-', ' '))}`;
}

function withArticle(thing: string): string {
  return `${/^[aeio]/.test(thing) ? 'an' : 'a'} ${thing}`;
}

/** Action kinds for the filter. */
export const actionKinds = [
  'session',
  'password',
  'link',
  'user',
  'identity',
  'member',
  'invitation',
  'key',
  'project',
  'project-member',
  'organization',
  'server',
  'server-connection',
  'server-group',
  'client',
  'environment',
  'secret',
  'eval-suite',
  'eval-run',
  'eval-artifact',
  'contract-baseline',
  'gate-waiver',
  'study',
  'share',
  'registry',
  'registry-card',
  'spend-budget',
] as const;
