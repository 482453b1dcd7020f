/**
 * Imported dynamically by its users. A direct dynamic import in the bundle would lose the named exports of this
 * CommonJS package.
 */
export { Agent } from 'undici';
