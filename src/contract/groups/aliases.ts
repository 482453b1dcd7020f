import { aliases as declared } from '../aliases.ts';
import { operationsOf } from '../operation.ts';

export { declared };
export const operations = operationsOf('aliases', declared);
