/** Loaded when it is needed. The library is in CommonJS, and a bundle loses the names of such a one that is loaded later. */
export { Agent } from 'undici';
