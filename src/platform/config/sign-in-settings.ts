import { z } from 'zod';
import { setting } from './values.ts';

/** Settings for signing in to the console with OpenID Connect, and for the mail of invitations and resets. */
export const signInSettings = {
  oidcIssuer: setting({
    env: 'DRYDOCK_OIDC_ISSUER',
    schema: z.url({ protocol: /^https?$/ }).optional(),
    fallback: 'none',
    meaning:
      'OpenID Connect provider for signing in to the console, with the redirect path /console/oidc. http only on loopback.',
  }),
  oidcClientId: setting({
    env: 'DRYDOCK_OIDC_CLIENT_ID',
    schema: z.string().min(1).max(1000).optional(),
    fallback: 'none',
    meaning: 'Client ID of this installation at the provider.',
  }),
  oidcClientSecret: setting({
    env: 'DRYDOCK_OIDC_CLIENT_SECRET',
    schema: z.string().min(1).max(4000).optional(),
    fallback: 'none',
    meaning: 'Client secret, if the provider issued one.',
    secret: true,
  }),
  oidcName: setting({
    env: 'DRYDOCK_OIDC_NAME',
    schema: z.string().min(1).max(60).default('single sign-on'),
    meaning: 'Name of the provider on the sign-in button.',
  }),
  oidcOrganization: setting({
    env: 'DRYDOCK_OIDC_ORGANIZATION',
    schema: z.string().min(1).max(200).optional(),
    fallback: 'none: only people with an account or an invitation can sign in',
    meaning: 'Organization, by ID or name, that people without an account or invitation join as members.',
  }),
  oidcDomains: setting({
    env: 'DRYDOCK_OIDC_DOMAINS',
    schema: z
      .string()
      .transform((value) => value.split(',').map((domain) => domain.trim().toLowerCase()))
      .refine(
        (list) => list.every((domain) => /^[a-z0-9.-]+\.[a-z0-9-]+$/.test(domain)),
        'Must be a comma-separated list of domains, for example example.com,example.org',
      )
      .optional(),
    fallback: 'any',
    meaning: 'Email domains that may sign in with the provider, like example.com.',
  }),
  smtpUrl: setting({
    env: 'DRYDOCK_SMTP_URL',
    schema: z
      .string()
      .regex(/^smtps?:\/\//, 'Write it as smtps://user:password@host:port')
      .optional(),
    fallback: 'none: administrators copy links',
    meaning: 'Mail server for invitations and password reset links.',
    secret: true,
  }),
  mailFrom: setting({
    env: 'DRYDOCK_MAIL_FROM',
    schema: z.string().min(3).max(320).default('Drydock <drydock@localhost>'),
    meaning: 'Sender of mail.',
  }),
};
