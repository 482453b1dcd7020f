import { z } from 'zod';
import { operation } from './operation.ts';
import { lookupPage, pageOf, Time } from './paging.ts';

const Plugin = z
  .object({
    id: z.string(),
    projectId: z.string(),
    name: z.string(),
    displayName: z.string().optional(),
    description: z.string().optional(),
    enabled: z.boolean(),
    activeVersionId: z.string().optional().describe('The version installed last.'),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'Plugin' });

const count = z.number().int();

const component = {
  componentId: z.string(),
  componentKey: z.string().describe('Its name inside the bundle.'),
  declaredName: z.string(),
};

const PluginVersion = z
  .object({
    id: z.string(),
    pluginId: z.string(),
    declaredVersion: z.string().optional().describe('The version its manifest states.'),
    bundleHash: z.string().describe('Of every file of the bundle.'),
    manifestHash: z.string().optional().describe('Of plugin.json alone.'),
    status: z.enum(['staging', 'ready', 'invalid']),
    componentCounts: z.object({
      skills: count,
      servers: count,
      apps: count,
      assets: count,
      unsupported: count.describe('What the bundle holds and we do not know.'),
    }),
    servers: z.array(
      z.object({
        ...component,
        placement: z.enum(['remote', 'local', 'computer']).describe('`remote` has a URL, `local` a command.'),
        authenticationPolicy: z.enum(['on_install', 'on_use']),
        materializedServerId: z.string().describe('The saved server.'),
      }),
    ),
    skills: z.array(
      z.object({
        ...component,
        modelRef: z.string().describe('What a model calls it.'),
        materializedSkillId: z.string().describe('The skill.'),
      }),
    ),
    createdAt: Time,
    readyAt: Time.optional(),
  })
  .meta({ id: 'PluginVersion' });

export const listProjectPlugins = operation({
  area: 'Plugins',
  summary: "List a project's plugins",
  method: 'GET',
  path: '/projects/{projectId}/plugins',
  query: z.object(lookupPage),
  status: 200,
  response: pageOf(Plugin, 'PluginPage'),
  access: 'project member',
});

export const getPluginVersion = operation({
  command: 'plugins get-version',
  area: 'Plugins',
  summary: 'Read a version of a plugin',
  description: 'What it holds, and which saved servers and skills stand for it. A version never changes.',
  method: 'GET',
  path: '/plugin-versions/{pluginVersionId}',
  status: 200,
  response: PluginVersion,
  access: 'project viewer',
});
