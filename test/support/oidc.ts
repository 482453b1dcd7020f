import { newId } from '../../src/platform/ids.ts';
import { client, type SaidClaims } from '../targets/openid-provider.ts';

/** Settings of a service with sign-in through that provider. */
export const settingsFor = (issuer: string): Record<string, string> => ({
  DRYDOCK_OIDC_ISSUER: issuer,
  DRYDOCK_OIDC_CLIENT_ID: client.id,
  DRYDOCK_OIDC_CLIENT_SECRET: client.secret,
  DRYDOCK_OIDC_NAME: 'Harbour',
});

/** The claims of a person without an account. */
export const newPerson = (more: Partial<SaidClaims> = {}): SaidClaims => ({
  sub: newId('sub'),
  email: `${newId('p')}@example.com`,
  email_verified: true,
  name: 'Grace',
  ...more,
});
