import { createHash } from 'node:crypto';
import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import { clientTemplates } from '../clients/templates/index.ts';
import { profileOf } from '../clients/templates/profile.ts';
import type { ClientTemplate } from '../clients/templates/template.ts';
import type { Verb } from '../verb.ts';

type HostCatalog = OutputOf<Operations['getHostCompatCatalog']>;

/** When the templates were last compared with the products they describe. */
const publishedAt = Date.UTC(2026, 10, 15);

function entryOf(template: ClientTemplate): HostCatalog['catalog']['hostsById'][string] {
  return {
    id: template.id,
    label: template.label,
    // Written down from what others reported; none of it was measured here.
    provenance: 'assumed',
    rendersMcpApps: template.openaiApps ?? false,
    supportedProtocolVersions: template.supportedProtocolVersions,
    hostStyle: template.id,
    modelId: template.modelId,
    temperature: template.temperature,
    ...(template.harness && { harness: template.harness }),
    ...(template.progressiveToolDiscovery && { progressiveToolDiscovery: true }),
    ...(template.respectToolVisibility === false && { respectToolVisibility: false }),
    about: template.about,
    ...(template.systemPrompt !== undefined && { systemPrompt: template.systemPrompt }),
    clientCapabilities: template.clientCapabilities ?? {},
    mcpProfile: profileOf(template),
  };
}

const hostsById = Object.fromEntries(clientTemplates.map((template) => [template.id, entryOf(template)]));

const catalog: HostCatalog = {
  schemaVersion: 1,
  version: 1,
  contentHash: createHash('sha256').update(JSON.stringify(hostsById)).digest('hex'),
  publishedAt,
  source: 'bundled',
  catalog: { hostsById },
};

export const getHostCompatCatalog: Verb<'getHostCompatCatalog'> = () => catalog;
