import type { ServerSkillRefusal } from '../../contract/server-skills.ts';

type Kind = ServerSkillRefusal['kind'];

/** Server content that failed a check. Reported in a regular response, not as an error. */
export class SkillRefused extends Error {
  readonly refusal: ServerSkillRefusal;

  constructor(kind: Kind, message: string, facts: Omit<ServerSkillRefusal, 'kind' | 'message'> = {}) {
    super(message);
    this.name = 'SkillRefused';
    this.refusal = { kind, message, ...facts };
  }
}
