import { z } from 'zod';
import { operation } from './operation.ts';
import { lookupPage, pageOf, Time } from './paging.ts';

const Me = z
  .object({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    imageUrl: z.string().nullable(),
    profilePictureUrl: z.string().nullable(),
    plan: z.string().nullable(),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'Me' });

const Organization = z
  .object({
    id: z.string(),
    name: z.string(),
    plan: z.string().nullable(),
    myRole: z.enum(['owner', 'admin', 'member']),
    isCreator: z.boolean(),
    logoUrl: z.string().nullable(),
    createdAt: Time,
  })
  .meta({ id: 'Organization' });

export const getMe = operation({
  command: 'account get',
  area: 'Account',
  summary: 'Read the account of the API key',
  method: 'GET',
  path: '/me',
  status: 200,
  response: Me,
  access: 'key',
});

export const listOrganizations = operation({
  area: 'Account',
  summary: 'List the organization of the API key',
  description: 'An API key belongs to one organization, so the page always has one item.',
  method: 'GET',
  path: '/organizations',
  query: z.object(lookupPage),
  status: 200,
  response: pageOf(Organization, 'OrganizationPage'),
  access: 'key',
});
