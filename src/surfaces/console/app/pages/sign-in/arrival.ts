/**
 * The query that the page was loaded with, read before the router writes it in its own way: there `1e5` and `100000` are
 * the same, and to a provider they are not.
 */
export const arrivedWith = location.search;
