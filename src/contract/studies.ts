import { z } from 'zod';
import { InsightsEnvelope } from './insights.ts';
import { operationsIn } from './operation.ts';
import { lookupPage, pageOf, Time } from './paging.ts';
import { studies } from './study-feature.ts';
import { Name } from './text.ts';

const operation = operationsIn({
  area: 'Studies',
  path: '/projects/{projectId}',
  access: 'project member',
});

export const Mode = z
  .enum(['project_members', 'invited_only', 'anyone_with_link'])
  .describe('Who gets in, from the few to the many; each includes the ones before.');

const StudyLink = z.object({ path: z.string(), url: z.string() }).meta({ id: 'StudyLink' });

const StudyServer = z
  .object({
    id: z.string(),
    name: z.string(),
    url: z.string().nullable().optional(),
    useOAuth: z.boolean(),
  })
  .meta({ id: 'StudyServer' });

const count = z.number().int().min(0);

const guestFields = {
  enabled: z.boolean().describe('Whether guests may chat at all.'),
  computerEnabled: z
    .boolean()
    .describe('Kept and given back: this service has no computers to give to guests.'),
  sharedSkillsEnabled: z.boolean().describe('Whether guests get the skills of the environment.'),
  dailyCreditCap: z
    .number()
    .min(0)
    .max(1_000_000_000)
    .describe('Credits that all guests together may spend in a day (UTC). 0 lets nobody chat.'),
  dailyComputerStartCap: count.max(1_000_000_000),
  maxConcurrentComputers: count.max(1_000_000_000),
  harnessEnabled: z.boolean().optional().describe('Kept and given back: this service runs no harnesses.'),
  dailyHarnessSpendCapMicros: count.optional(),
  dailyHarnessCallCap: count.optional(),
  maxConcurrentHarnessRuns: count.optional(),
};
export const GuestExecutionFields = z.object(guestFields);

export const summaryFields = {
  id: z.string(),
  projectId: z.string().nullable().optional(),
  name: z.string(),
  description: z.string().nullable().optional(),
  mode: Mode.nullable().optional(),
  hostStyle: z.string().nullable().optional(),
  hostId: z.string().nullable().optional().describe('The client of the environment.'),
  hostName: z.string().nullable().optional(),
  serverCount: count,
  serverNames: z.array(z.string()),
  link: StudyLink.nullable().optional().describe('Null while it is not published.'),
  createdAt: Time.nullable().optional(),
  updatedAt: Time.nullable().optional(),
};
export const settingFields = {
  modelId: z.string().nullable().optional(),
  systemPrompt: z.string().nullable().optional(),
  temperature: z.number().nullable().optional(),
  requireToolApproval: z.boolean(),
  servers: z.array(StudyServer),
};

const StudySummary = z
  .object({
    ...summaryFields,
    published: z.boolean(),
    environmentId: z.string(),
    sessionsLately: count.describe('Sessions with activity within seven days; 1000 stands for more.'),
    lastSessionAt: Time.nullable(),
  })
  .meta({ id: 'StudySummary' });

export const listStudies = operation({
  summary: 'List the studies of a project',
  description: 'The latest first; a project has few.',
  path: '/studies',
  query: z.object({
    ...lookupPage,
    includeUnpublished: z
      .enum(['true', 'false'])
      .optional()
      .describe('Also those that are no longer published, whose sessions are kept.'),
  }),
  response: pageOf(StudySummary, 'StudyPage'),
  feature: studies.read({ items: [] }),
});

export const getStudy = operation({
  summary: 'Read a study',
  description:
    'Its settings, and what was found out about the latest seven days that were analysed. Whoever is no member of the project and got in by the link sees neither `environmentId` nor `insights`.',
  path: '/studies/{studyId}',
  access: 'project member or visitor',
  response: z
    .object({
      ...summaryFields,
      ...settingFields,
      published: z.boolean(),
      environmentId: z.string().nullable().optional(),
      accessVersion: z.number().int().optional(),
      guestExecution: GuestExecutionFields.optional(),
      insights: InsightsEnvelope.optional(),
    })
    .meta({ id: 'StudyDetail' }),
  feature: studies.readOne,
});

const publishedFields = {
  id: z.string(),
  environmentId: z.string(),
  name: z.string(),
  mode: Mode,
  accessVersion: z
    .number()
    .int()
    .describe('Grows when somebody may lose access: visits that began before end with their next request.'),
  link: z.string().nullable(),
};

export const publishing = {
  name: Name.optional(),
  description: z.string().max(2000).optional(),
  mode: Mode.optional(),
};

export const publishedAnswer = {
  ...publishedFields,
  created: z.boolean().optional().describe('False when it was published before.'),
  overridesIgnored: z
    .boolean()
    .optional()
    .describe('It was published before, so that what was sent along was not applied.'),
};

export const publishStudy = operation({
  summary: 'Publish an environment as a study',
  description:
    'Gives it a link. `invited_only` when no mode is given. One that is published stays as it is. One that was unpublished comes back with its id, members and sessions, and a new link.',
  command: 'studies publish',
  method: 'PUT',
  path: '/environments/{environmentId}/study',
  access: 'project admin',
  body: z.strictObject(publishing).meta({ id: 'StudyPublishRequest' }),
  example: { name: 'Harbour desk', mode: 'anyone_with_link' },
  response: z.object(publishedAnswer).meta({ id: 'Study' }),
  errors: ['CONFLICT'],
  feature: studies.write,
});

export const unpublishedAnswer = {
  environmentId: z.string(),
  deleted: z.boolean().describe('False when nothing was published.'),
  id: z.string().optional(),
};

export const unpublishStudy = operation({
  summary: 'Unpublish the study of an environment',
  description: 'Everybody is out at once. What was said stays, and can be published again.',
  command: 'studies unpublish',
  method: 'DELETE',
  path: '/environments/{environmentId}/study',
  access: 'project admin',
  query: z.object({
    scenarioId: z
      .string()
      .max(200)
      .optional()
      .describe('Which study; needed when the environment has several.'),
  }),
  response: z.object(unpublishedAnswer).meta({ id: 'StudyDeleted' }),
  feature: studies.always,
});

export const updating = z
  .strictObject({
    ...publishing,
    description: publishing.description.unwrap().nullable().optional().describe('`null` clears it.'),
  })
  .superRefine((fields, context) => {
    const given = Object.keys(fields).filter((name) => fields[name as keyof typeof fields] !== undefined);
    if (given.length === 0)
      context.addIssue({ code: 'custom', message: 'Give at least one field to change' });
    if (given.length > 1 && given.includes('mode'))
      context.addIssue({
        code: 'custom',
        path: ['mode'],
        message: 'Send it alone: who gets in is changed apart from name and description',
      });
  });

export const updatedFields = {
  id: z.string(),
  projectId: z.string(),
  name: z.string().nullable(),
  description: z.string().nullable(),
  mode: Mode.nullable(),
};

export const updateStudy = operation({
  summary: 'Edit a study',
  description:
    'Name and description, or `mode` alone. A mode that lets in fewer ends all visits; who may still come in can do so again.',
  method: 'PATCH',
  path: '/studies/{studyId}',
  body: updating.meta({ id: 'StudyUpdateRequest' }),
  example: { name: 'Harbour desk' },
  response: z.object(updatedFields).meta({ id: 'StudyUpdated' }),
  errors: ['CONFLICT'],
  feature: studies.write,
});

export const rotatedFields = {
  id: z.string(),
  projectId: z.string(),
  rotated: z.literal(true),
  link: z.string().nullable(),
};

export const rotateStudyLink = operation({
  command: 'studies rotate-link',
  summary: 'Replace the link of a study',
  description: 'The old one lets nobody in any more. Whoever is in stays.',
  method: 'POST',
  path: '/studies/{studyId}/rotate-link',
  response: z.object(rotatedFields).meta({ id: 'StudyLinkRotated' }),
  errors: ['CONFLICT'],
  feature: studies.write,
});

export const MemberRequest = z.strictObject({
  email: z.email('Must be an e-mail address').min(3).max(320),
  sendInviteEmail: z.boolean().optional().describe('Mail the way in, where this service sends mail.'),
});

export const memberFields = {
  projectId: z.string(),
  email: z.string(),
  memberId: z.string().optional(),
  invited: z.boolean().optional().describe('A mail is on its way.'),
  entryUrl: z
    .string()
    .optional()
    .describe('Lets this person in once, within seven days. Hand it over; absent where it was mailed.'),
};

const StudyMember = z
  .object({ id: z.string(), email: z.string(), createdAt: Time, lastSeenAt: Time.nullable() })
  .meta({ id: 'StudyMember' });

export const listStudyMembers = operation({
  command: 'studies members',
  summary: 'List who is invited to a study',
  path: '/studies/{studyId}/members',
  query: z.object(lookupPage),
  response: pageOf(StudyMember, 'StudyMemberPage'),
  feature: studies.readOne,
});

export const upsertStudyMember = operation({
  command: 'studies invite',
  summary: 'Invite somebody to a study',
  description: 'By e-mail address; one that is invited already stays so and gets another way in.',
  method: 'PUT',
  path: '/studies/{studyId}/members',
  body: MemberRequest.meta({ id: 'StudyMemberRequest' }),
  example: { email: 'ada@example.com' },
  response: z
    .object({ studyId: z.string(), ...memberFields, ...updatedFields })
    .meta({ id: 'StudyMemberUpserted' }),
  errors: ['CONFLICT', 'FEATURE_NOT_SUPPORTED'],
  feature: studies.write,
});

export const removedFields = {
  projectId: z.string(),
  removed: z.string().describe('As it was asked for.'),
};

export const removeStudyMember = operation({
  command: 'studies remove-member',
  summary: 'No longer invite somebody to a study',
  description: 'They are out at once. Other visits end too and begin again by themselves.',
  method: 'DELETE',
  path: '/studies/{studyId}/members/{memberIdOrEmail}',
  response: z.object({ studyId: z.string(), ...removedFields }).meta({ id: 'StudyMemberRemoved' }),
  feature: studies.write,
});

export const rebindStudy = operation({
  command: 'studies rebind',
  summary: 'Move a study to another environment',
  description: 'Link, members and sessions stay. Conversations that were begun before do not go on.',
  method: 'POST',
  path: '/studies/{studyId}/rebind',
  body: z.strictObject({ environmentId: z.string().min(1).max(200) }).meta({ id: 'StudyRebindRequest' }),
  example: { environmentId: '{environmentId}' },
  response: z.object({ projectId: z.string(), ...publishedFields }).meta({ id: 'StudyRebound' }),
  errors: ['CONFLICT'],
  feature: studies.write,
});

const guestExample = {
  enabled: true,
  computerEnabled: false,
  sharedSkillsEnabled: true,
  dailyCreditCap: 500,
  dailyComputerStartCap: 0,
  maxConcurrentComputers: 0,
};

export const setStudyGuestExecution = operation({
  summary: 'Decide what guests of a study may do',
  description: 'Replaces all of it.',
  command: 'studies set-guest-execution',
  method: 'PUT',
  path: '/studies/{studyId}/guest-execution',
  access: 'project admin',
  body: z.strictObject(guestFields).meta({ id: 'GuestExecution' }),
  example: guestExample,
  response: z
    .object({
      ...guestFields,
      id: z.string(),
      projectId: z.string(),
      guestExecution: GuestExecutionFields,
    })
    .meta({ id: 'GuestExecutionSet' }),
  feature: studies.write,
});
