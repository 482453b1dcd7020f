/** The library that drives the browser: large, so it is loaded with the first browser. */
export async function loadPlaywright(): Promise<typeof import('playwright-core')> {
  return import('playwright-core');
}
