import { z } from 'zod';
import { operation } from './operation.ts';
import { lookupPage, pageOf, Time } from './paging.ts';

const rate = z.number().nonnegative();

const rates = {
  input: rate,
  output: rate,
  cacheRead: rate.describe('Input read from the provider cache.'),
  cacheWrite: rate.describe('Input written to the provider cache.'),
};

const Prices = z
  .object({
    ...rates,
    longPrompt: z
      .object({ above: z.number().int().positive(), ...rates })
      .optional()
      .describe('Prices of requests with more input tokens than `above`.'),
  })
  .meta({ id: 'ModelPrices', description: 'USD per million tokens.' });

const Model = z
  .object({
    id: z.string().describe('Provider and name, for example `anthropic/claude-haiku-4.5`.'),
    provider: z.string(),
    name: z.string(),
    hosted: z.boolean().describe('Whether the deployment has a key for this model. If not, bring your own.'),
    offline: z
      .literal(true)
      .optional()
      .describe('Needs no network and is not a language model: picks tools by the words of the prompt.'),
    contextLength: z.number().int().optional(),
    maxOutputTokens: z.number().int().optional(),
    prices: Prices.optional().describe('Absent if no prices are configured.'),
  })
  .meta({ id: 'Model' });

export const listModels = operation({
  area: 'Catalog',
  summary: 'List the models of this deployment',
  method: 'GET',
  path: '/models',
  query: z.object(lookupPage),
  status: 200,
  response: pageOf(Model, 'ModelPage'),
  access: 'public',
});

const ids = z.array(z.string());
const anything = z.record(z.string(), z.unknown());

export const HostCatalogEntry = z
  .looseObject({
    id: z.string(),
    label: z.string(),
    provenance: z.enum(['observed', 'probe', 'vendor-doc', 'assumed']),
    rendersMcpApps: z.boolean().describe('Renders MCP Apps, the interfaces that servers attach to tools.'),
    supportedProtocolVersions: z.array(z.string()).optional(),
    verifiedAt: Time.optional(),
    hostStyle: z.string(),
    modelId: z.string(),
    systemPrompt: z.string(),
    temperature: z.number(),
    requireToolApproval: z.boolean(),
    respectToolVisibility: z.boolean(),
    serverIds: ids,
    optionalServerIds: ids,
    builtInToolIds: ids,
    connectionDefaults: z.object({ headers: z.record(z.string(), z.string()), requestTimeout: z.number() }),
    clientCapabilities: anything,
    hostContext: anything,
    mcpProfile: anything.optional(),
  })
  .meta({
    id: 'HostCatalogEntry',
    description: 'Known behavior of a client, and the configuration its template starts with.',
  });

export const getHostCompatCatalog = operation({
  command: 'client-templates list',
  area: 'Catalog',
  summary: 'Read the built-in client templates',
  description: 'Behavior of known MCP clients: protocol revisions, identity, support for MCP Apps.',
  method: 'GET',
  path: '/host-catalog',
  status: 200,
  response: z
    .object({
      schemaVersion: z.number().int(),
      version: z.number().int(),
      contentHash: z.string(),
      publishedAt: Time,
      source: z.enum(['live', 'bundled']),
      catalog: z.object({ hostsById: z.record(z.string(), HostCatalogEntry) }),
    })
    .meta({ id: 'HostCatalog' }),
  access: 'public',
});
