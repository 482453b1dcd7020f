import { Refusal } from '../../contract/errors.ts';
import { problemOfBinding } from '../../contract/secrets.ts';
import { violates } from '../../platform/database/database.ts';

/** Uniqueness is checked by the database, so that of two concurrent requests only one succeeds. */
export function refuseTakenName(name: string): (error: unknown) => never {
  return (error) => {
    const where = violates(error, 'secrets_shared_name')
      ? 'is shared in this project'
      : violates(error, 'secrets_personal_name') && 'is already yours in this project';
    if (where === false) throw error;
    throw new Refusal('CONFLICT', `A secret named ${name} ${where}. Rotate it, or choose another name`, {
      details: { reason: 'NAME_TAKEN', name },
    });
  };
}

export function checkBinding(secret: Parameters<typeof problemOfBinding>[0]): void {
  const problem = problemOfBinding(secret);
  if (problem) throw new Refusal('VALIDATION_ERROR', `${problem.path.join('.')}: ${problem.message}`);
}
