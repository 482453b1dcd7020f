import type { ServerSkillRefusal } from '../../contract/server-skills.ts';

type Kind = ServerSkillRefusal['kind'];

/** What a server sent failed a check: an answer to the caller, not an error. */
export class SkillRefused extends Error {
  readonly refusal: ServerSkillRefusal;

  constructor(kind: Kind, message: string, facts: Omit<ServerSkillRefusal, 'kind' | 'message'> = {}) {
    super(message);
    this.name = 'SkillRefused';
    this.refusal = { kind, message, ...facts };
  }
}
