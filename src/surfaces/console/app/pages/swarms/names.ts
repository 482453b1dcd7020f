/** Personas and swarms loaded to look up names; the maximum page size of the API. */
export const lookedUp = 200;
