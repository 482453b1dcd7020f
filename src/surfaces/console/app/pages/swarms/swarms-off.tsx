import { Empty } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';

/** Replaces every swarm page if the organization has swarms disabled. */
export function SwarmsOff() {
  return (
    <Page title="Swarms">
      <Empty title="Swarms are switched off">
        The feature <code>swarms</code> is off for this organization. An operator of the installation can turn
        it on with <code>drydock features enable swarms</code>. If there are several organizations, add{' '}
        <code>--organization</code>. Existing data is kept.
      </Empty>
    </Page>
  );
}
