import { Empty } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';

/** Replaces every study page if the organization has studies disabled. */
export function StudiesOff() {
  return (
    <Page title="Studies">
      <Empty title="Studies are switched off">
        The feature <code>user-testing</code> is off for this organization, and study links do not work. An
        operator of the installation can turn it on with <code>drydock features enable user-testing</code>. If
        there are several organizations, add <code>--organization</code>. Existing data is kept.
      </Empty>
    </Page>
  );
}
