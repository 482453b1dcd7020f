import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type MyOrganization, type SignedIn, useSignedIn } from '../../api/session.ts';
import { Empty, Skeleton } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';

/** What a page of an organization knows of whoever looks at it. */
export interface Standing {
  organization: MyOrganization;
  organizationId: string;
  signedIn: SignedIn;
  /** An administrator or an owner. */
  administers: boolean;
}

/** A page of the organization in the address, for its members. */
export function OrganizationPage({
  name,
  actions,
  administration,
  forAdministrators = false,
  children,
}: {
  name: string;
  actions?: ReactNode;
  /** What only administrators can do here. */
  administration?: ReactNode;
  /** Whoever may not is told so instead. */
  forAdministrators?: boolean;
  children: (standing: Standing) => ReactNode;
}) {
  const { organizationId } = useParams({ from: '/organizations/$organizationId' });
  const signedIn = useSignedIn();
  const organization = signedIn?.organizations.find(({ id }) => id === organizationId);
  const page = (body: ReactNode, more?: ReactNode) => (
    <Page title={name} name={name} crumbs={[organization?.name ?? 'Organization']} actions={more}>
      {body}
    </Page>
  );
  if (!signedIn) return page(<Skeleton lines={6} />);
  if (!organization)
    return page(
      <Empty title="No such organization" action={<Link to="/">Go to your projects</Link>}>
        It does not exist, or you are not a member of it. Its administrators can invite you:{' '}
        {signedIn.user.email} is the address to give them.
      </Empty>,
    );
  const administers = organization.role !== 'member';
  const standing = { organization, organizationId, signedIn, administers };
  if (forAdministrators && !administers)
    return page(
      <Empty
        title="This is for administrators"
        action={
          <Link to="/organizations/$organizationId/members" params={{ organizationId }}>
            See who administers {organization.name}
          </Link>
        }
      >
        You are a member of {organization.name}. Ask one of its administrators or owners.
      </Empty>,
    );
  return page(
    children(standing),
    <>
      {actions}
      {administers && administration}
    </>,
  );
}
