import type { ServerIdentity } from '../../mcp/connection.ts';
import { isObject } from '../../platform/json/is-object.ts';

const extension = 'io.modelcontextprotocol/skills';

export interface SkillsSupport {
  declared: boolean;
  advertised: boolean;
  directoryRead: boolean;
  active: boolean;
}

/** Client capabilities with the skills extension added. */
export function declaringSkills(capabilities: Record<string, unknown> = {}): Record<string, unknown> {
  return { ...capabilities, extensions: { [extension]: {}, ...extensionsOf(capabilities) } };
}

export function supportOf(
  clientCapabilities: Record<string, unknown> | undefined,
  { capabilities }: ServerIdentity,
): SkillsSupport {
  const declared = isObject(extensionsOf(clientCapabilities)[extension]);
  const offered = extensionsOf(capabilities)[extension];
  const advertised = isObject(offered);
  const directoryRead = advertised && offered['directoryRead'] === true;
  return { declared, advertised, directoryRead, active: declared && advertised };
}

function extensionsOf(capabilities: Record<string, unknown> | undefined): Record<string, unknown> {
  const extensions = capabilities?.['extensions'];
  return isObject(extensions) ? extensions : {};
}
