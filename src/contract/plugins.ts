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
    activeVersionId: z.string().optional().describe('Most recently installed version.'),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'Plugin' });

const count = z.number().int();

const component = {
  componentId: z.string(),
  componentKey: z.string().describe('Name within the bundle.'),
  declaredName: z.string(),
};

const PluginVersion = z
  .object({
    id: z.string(),
    pluginId: z.string(),
    declaredVersion: z.string().optional().describe('Version from the manifest.'),
    bundleHash: z.string().describe('Hash of all files of the bundle.'),
    manifestHash: z.string().optional().describe('Hash of plugin.json.'),
    status: z.enum(['staging', 'ready', 'invalid']),
    componentCounts: z.object({
      skills: count,
      servers: count,
      apps: count,
      assets: count,
      unsupported: count.describe('Components of unsupported kinds.'),
    }),
    servers: z.array(
      z.object({
        ...component,
        placement: z.enum(['remote', 'local', 'computer']).describe('`remote`: a URL. `local`: a command.'),
        authenticationPolicy: z.enum(['on_install', 'on_use']),
        materializedServerId: z.string().describe('ID of the saved server.'),
      }),
    ),
    skills: z.array(
      z.object({
        ...component,
        modelRef: z.string().describe('Name that models use.'),
        materializedSkillId: z.string().describe('ID of the skill.'),
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
  description:
    'Components of the version and the servers and skills created from them. Versions are immutable.',
  method: 'GET',
  path: '/plugin-versions/{pluginVersionId}',
  status: 200,
  response: PluginVersion,
  access: 'project viewer',
});
