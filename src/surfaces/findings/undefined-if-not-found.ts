import { Refusal } from '../../contract/errors.ts';
import { DrydockError } from '../client/index.ts';

/** The answer, or undefined if the error is NOT_FOUND. */
export async function undefinedIfNotFound<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if ((error instanceof Refusal || error instanceof DrydockError) && error.code === 'NOT_FOUND')
      return undefined;
    throw error;
  }
}
