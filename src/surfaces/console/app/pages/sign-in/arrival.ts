/**
 * The query string as received. The router would normalize it: `1e5` and `100000` are the same to it, but not
 * to an identity provider.
 */
export const arrivedWith = location.search;
