import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { ServerIdentity } from '../../mcp/connection.ts';
import type { Target } from '../../mcp/target.ts';

type InitInfo = NonNullable<OutputOf<Operations['validateServer']>['initInfo']>;

/** Connection information in the form of the API. */
export function initInfoOf(identity: ServerIdentity, { protocol }: Target): InitInfo {
  return {
    protocolVersion: identity.protocolVersion,
    transport: identity.transport,
    serverCapabilities: identity.capabilities,
    serverVersion: identity.serverInfo,
    serverInfo: identity.serverInfo,
    instructions: identity.instructions,
    clientCapabilities: protocol.clientCapabilities ?? {},
  };
}
