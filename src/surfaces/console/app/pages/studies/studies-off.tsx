import { Empty } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';

/** Stands in place of every page of studies where the organization has none. */
export function StudiesOff() {
  return (
    <Page title="Studies" name="Studies">
      <Empty title="Studies are switched off">
        The feature <code>user-testing</code> is off for this organization, and no link of a study lets
        anybody in. An operator of the installation switches it on with{' '}
        <code>drydock features enable user-testing</code>, and names the organization with{' '}
        <code>--organization</code> where there are several. What was made before is kept.
      </Empty>
    </Page>
  );
}
