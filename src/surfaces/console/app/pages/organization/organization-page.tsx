import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type MyOrganization, type SignedIn, useSignedIn } from '../../api/session.ts';
import { Empty, Skeleton } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';

export interface OrganizationContext {
  organization: MyOrganization;
  organizationId: string;
  signedIn: SignedIn;
  /** Whether the user is an admin or owner. */
  administers: boolean;
}

/** A page about the organization in the URL, for its members. */
export function OrganizationPage({
  name,
  actions,
  administration,
  forAdministrators = false,
  children,
}: {
  name: string;
  actions?: ReactNode;
  administration?: ReactNode;
  forAdministrators?: boolean;
  children: (context: OrganizationContext) => ReactNode;
}) {
  const { organizationId } = useParams({ from: '/organizations/$organizationId' });
  const signedIn = useSignedIn();
  const organization = signedIn?.organizations.find(({ id }) => id === organizationId);
  const page = (body: ReactNode, more?: ReactNode) => (
    <Page title={name} crumbs={[organization?.name ?? 'Organization']} actions={more}>
      {body}
    </Page>
  );
  if (!signedIn) return page(<Skeleton lines={6} />);
  if (!organization)
    return page(
      <Empty title="Organization not found" action={<Link to="/">Go to projects</Link>}>
        The organization does not exist, or you are not a member. Its administrators can invite you at{' '}
        {signedIn.user.email}.
      </Empty>,
    );
  const administers = organization.role !== 'member';
  const context = { organization, organizationId, signedIn, administers };
  if (forAdministrators && !administers)
    return page(
      <Empty
        title="Administrators only"
        action={
          <Link to="/organizations/$organizationId/members" params={{ organizationId }}>
            Show members of {organization.name}
          </Link>
        }
      >
        You are a member of {organization.name}. Ask an administrator or owner for access.
      </Empty>,
    );
  return page(
    children(context),
    <>
      {actions}
      {administers && administration}
    </>,
  );
}
