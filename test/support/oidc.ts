import { newId } from '../../src/platform/ids.ts';
import { client, type SaidClaims } from '../targets/openid-provider.ts';

/** Of a service whose people sign in with that provider. */
export const settingsFor = (issuer: string): Record<string, string> => ({
  DRYDOCK_OIDC_ISSUER: issuer,
  DRYDOCK_OIDC_CLIENT_ID: client.id,
  DRYDOCK_OIDC_CLIENT_SECRET: client.secret,
  DRYDOCK_OIDC_NAME: 'Harbour',
});

/** Whom nobody knows here. */
export const newPerson = (more: Partial<SaidClaims> = {}): SaidClaims => ({
  sub: newId('sub'),
  email: `${newId('p')}@example.com`,
  email_verified: true,
  name: 'Grace',
  ...more,
});
