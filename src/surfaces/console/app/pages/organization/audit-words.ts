/** What reads badly when it is put together from the name of the action. */
const words: Record<string, string> = {
  'session.begin': 'signed in',
  'session.end': 'signed out or ended a session',
  'session.refuse': 'failed to sign in',
  'link.create': 'made a sign-in link',
  'link.use': 'used a sign-in link',
  'password.change': 'changed their password',
  'password.reset': 'chose a new password by a link',
  'password.request-reset': 'asked for a link to a new password',
  'password.make-reset-link': 'made a link to a new password',
  'identity.link': 'linked an identity',
  'identity.unlink': 'unlinked an identity',
  'user.create': 'made an account',
  'user.update': 'changed their name',
  'user.request-email': 'asked for another e-mail address',
  'user.change-email': 'changed their e-mail address',
  'member.join': 'joined',
  'member.remove': 'removed a member',
  'invitation.create': 'invited somebody',
  'invitation.accept': 'accepted an invitation',
  'invitation.revoke': 'revoked an invitation',
  'key.create': 'made an API key',
  'key.revoke': 'revoked an API key',
  'project-member.remove': 'took back an invitation to a project',
  'organization.update': 'changed the organization',
  'spend-budget.set': 'set the spend cap',
  'spend-budget.clear': 'lifted the spend cap',
  'eval-run.create': 'started a run',
  'eval-run.cancel': 'cancelled a run',
  'study.publish': 'published a study',
  'study.unpublish': 'unpublished a study',
  'study.mode-project_members': 'let only members of the project in to a study',
  'study.mode-invited_only': 'let those who are invited in to a study',
  'study.mode-anyone_with_link': 'let anyone with the link in to a study',
  'study.rotate-link': 'replaced the link of a study',
  'study.rebind': 'moved a study to another environment',
  'study.invite': 'invited somebody to a study',
  'study.remove-member': 'no longer invites somebody to a study',
  'study.guest-execution': 'decided what guests of a study may do',
  'share.open': 'shared a run by a link',
  'share.close': 'no longer shares a run',
  'registry.install': 'installed a server',
  'registry.uninstall': 'uninstalled a server',
  'registry.guest-token': 'made a guest token for the directory',
};

const verbs: Record<string, string> = {
  create: 'made',
  update: 'changed',
  delete: 'deleted',
  cancel: 'cancelled',
  retry: 'tried again:',
  sync: 'brought from a file:',
  report: 'reported',
  upload: 'uploaded',
  save: 'saved',
  archive: 'archived',
  restore: 'restored',
  revoke: 'revoked',
};

/** An action as a person would say it: `key.create` is “made an API key”. What is not known keeps its name. */
export function actionWords(action: string): string {
  const known = words[action];
  if (known !== undefined) return known;
  const [thing = '', verb = ''] = action.split('.');
  const role = /^make-(\w+)$/.exec(verb)?.[1];
  if (role !== undefined && thing === 'member') return `made somebody ${role}`;
  if (role !== undefined && thing === 'project-member') return `made somebody ${role} of a project`;
  const said = verbs[verb];
  return said === undefined || thing === '' ? action : `${said} ${articled(thing.replaceAll('-', ' '))}`;
}

function articled(thing: string): string {
  return `${/^[aeio]/.test(thing) ? 'an' : 'a'} ${thing}`;
}

/** Kinds of actions, for the filter. */
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
