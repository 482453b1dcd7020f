import { createHash } from 'node:crypto';
import { HostCatalogEntry } from '../../contract/catalog.ts';
import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import { configOf } from '../clients/from-template.ts';
import { type ClientTemplate, clientTemplates } from '../clients/templates.ts';
import type { Verb } from '../context/verb.ts';

type HostCatalog = OutputOf<Operations['getHostCompatCatalog']>;

/** When the templates were last compared with the products they describe. */
const publishedAt = Date.UTC(2026, 10, 15);

/** A template with the client configuration it creates and facts about the product. */
function entryOf(template: ClientTemplate): HostCatalog['catalog']['hostsById'][string] {
  const { schemaVersion: _schemaVersion, ...config } = configOf(template);
  return HostCatalogEntry.parse({
    id: template.id,
    label: template.label,
    about: template.about,
    // Based on reports by others, not on measurements.
    provenance: 'assumed',
    rendersMcpApps: template.apps !== undefined,
    supportedProtocolVersions: template.supportedProtocolVersions,
    ...config,
  });
}

const hostsById = Object.fromEntries(clientTemplates.map((template) => [template.id, entryOf(template)]));

const catalog: HostCatalog = {
  schemaVersion: 2,
  version: 2,
  contentHash: createHash('sha256').update(JSON.stringify(hostsById)).digest('hex'),
  publishedAt,
  source: 'bundled',
  catalog: { hostsById },
};

export const getHostCompatCatalog: Verb<'getHostCompatCatalog'> = () => catalog;
