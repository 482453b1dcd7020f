import { Empty } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';

/** Stands in place of every page of swarms where the organization has none. */
export function SwarmsOff() {
  return (
    <Page title="Swarms" name="Swarms">
      <Empty title="Swarms are switched off">
        The feature <code>swarms</code> is off for this organization. An operator of the installation switches
        it on with <code>drydock features enable swarms</code>, and names the organization with{' '}
        <code>--organization</code> where there are several. What was made before is kept.
      </Empty>
    </Page>
  );
}
