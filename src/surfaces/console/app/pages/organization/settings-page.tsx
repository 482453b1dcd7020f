import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { answersOf } from '../../api/ask.ts';
import { people } from '../../api/client.ts';
import { session } from '../../api/session.ts';
import { Button } from '../../kit/button.tsx';
import { Id } from '../../kit/copy.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { Problem } from '../../kit/notice.tsx';
import { Facts, Section } from '../../kit/page.tsx';
import { Time } from '../../kit/time.tsx';
import { say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';
import css from './organization.module.css';
import { OrganizationPage, type Standing } from './organization-page.tsx';

export function SettingsPage() {
  return (
    <OrganizationPage
      name="Settings"
      forAdministrators
      actions={<Same operation="listOrganizations" input={{}} />}
    >
      {(standing) => (
        <>
          <Facts
            facts={[
              ['Id', <Id key="id" value={standing.organizationId} />],
              ['Plan', standing.organization.plan],
              ['Your role', standing.organization.role],
              ['Made', <Time key="made" at={standing.organization.createdAt} />],
            ]}
          />
          <Names key={standing.organizationId} standing={standing} />
        </>
      )}
    </OrganizationPage>
  );
}

function Names({ standing: { organization, organizationId } }: { standing: Standing }) {
  const [name, setName] = useState(organization.name);
  const [logoUrl, setLogoUrl] = useState(organization.logoUrl ?? '');
  const queryClient = useQueryClient();
  const saving = useMutation({
    mutationFn: () =>
      people.updateOrganization({
        organizationId,
        body: { name: name.trim(), logoUrl: logoUrl.trim() || null },
      }),
    onSuccess: async () => {
      say('Organization saved');
      await queryClient.invalidateQueries({ queryKey: session.queryKey });
      await queryClient.invalidateQueries(answersOf('listOrganizations'));
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    saving.mutate();
  };
  const changed = name.trim() !== organization.name || logoUrl.trim() !== (organization.logoUrl ?? '');
  return (
    <Section title="Name">
      <form className={css.form} onSubmit={submit}>
        <Field label="Name" hint="Members see it, and whoever is invited.">
          <TextInput required maxLength={200} value={name} onChange={({ target }) => setName(target.value)} />
        </Field>
        <Field
          label="Address of a logo"
          hint="https only. The API hands it on; the console shows no pictures of other sites."
        >
          <TextInput
            type="url"
            maxLength={2000}
            pattern="https://.+"
            value={logoUrl}
            onChange={({ target }) => setLogoUrl(target.value)}
          />
        </Field>
        {saving.isError && <Problem error={saving.error} />}
        <div className={css.left}>
          <Button type="submit" look="primary" busy={saving.isPending} disabled={!changed}>
            Save organization
          </Button>
        </div>
      </form>
    </Section>
  );
}
