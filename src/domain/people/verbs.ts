/**
 * Every operation of the console is exported here under its operation ID; `invoke.ts` does not compile if one is
 * missing.
 */
export { listAuditEvents } from './audit-events.ts';
export { getInstallation } from './installation.ts';
export { createInvitation, listInvitations, revokeInvitation } from './invitations.ts';
export { createKey, listKeys, revokeKey } from './keys.ts';
export { listMembers, removeMember, setMember } from './members.ts';
export { finishOidc, startOidc } from './oidc/sign-in.ts';
export { unlinkIdentity } from './oidc/unlink.ts';
export { updateOrganization } from './organization.ts';
export { changePassword, updateProfile } from './profile.ts';
export { listProjectMembers, removeProjectMember, setProjectMember } from './project-members.ts';
export { requestReset } from './reset.ts';
export { createResetLink } from './reset-links.ts';
export { endSession, getSession, listMySessions, signOut } from './sessions.ts';
export { signIn } from './sign-in.ts';
export { readLink, useLink } from './use-link.ts';
