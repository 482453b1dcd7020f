import { useState } from 'react';
import { people, useSubmit } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import { Id } from '../../kit/copy.tsx';
import { RequiredField, submits, TextField } from '../../kit/field.tsx';
import { SubmitError } from '../../kit/form-dialog.tsx';
import { Facts, Section } from '../../kit/page.tsx';
import { Time } from '../../kit/time.tsx';
import css from './organization.module.css';
import { type OrganizationContext, OrganizationPage } from './organization-page.tsx';

export function SettingsPage() {
  return (
    <OrganizationPage
      name="Settings"
      forAdministrators
      actions={<ApiExample operation="listOrganizations" input={{}} />}
    >
      {(context) => (
        <>
          <Facts
            facts={[
              ['ID', <Id key="id" value={context.organizationId} />],
              ['Plan', context.organization.plan],
              ['Your role', context.organization.role],
              ['Created', <Time key="made" at={context.organization.createdAt} />],
            ]}
          />
          <Names key={context.organizationId} context={context} />
        </>
      )}
    </OrganizationPage>
  );
}

function Names({ context: { organization, organizationId } }: { context: OrganizationContext }) {
  const [name, setName] = useState(organization.name);
  const [logoUrl, setLogoUrl] = useState(organization.logoUrl ?? '');
  const saving = useSubmit(
    () =>
      people.updateOrganization({
        organizationId,
        body: { name: name.trim(), logoUrl: logoUrl.trim() || null },
      }),
    { says: 'Organization saved' },
  );
  const changed = name.trim() !== organization.name || logoUrl.trim() !== (organization.logoUrl ?? '');
  return (
    <Section title="Name">
      <form className={css.form} onSubmit={submits(() => saving.mutate())}>
        <RequiredField
          label="Name"
          hint="Visible to members and invited people."
          maxLength={200}
          value={name}
          onChange={setName}
        />
        <TextField
          label="Logo URL"
          hint="https only. Returned by the API; the console does not load images from other sites."
          type="url"
          maxLength={2000}
          pattern="https://.+"
          value={logoUrl}
          onChange={setLogoUrl}
        />
        <SubmitError of={saving} />
        <div className={css.left}>
          <Button type="submit" variant="primary" busy={saving.isPending} disabled={!changed}>
            Save organization
          </Button>
        </div>
      </form>
    </Section>
  );
}
