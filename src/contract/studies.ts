import { z } from 'zod';
import { studies } from './features.ts';
import { count, Name } from './fields.ts';
import { InsightsEnvelope } from './insights.ts';
import { operationsIn } from './operation.ts';
import { lookupPage, pageOf, Time } from './paging.ts';

const operation = operationsIn({
  area: 'Studies',
  path: '/projects/{projectId}',
  access: 'project member',
});

export const Mode = z
  .enum(['project_members', 'invited_only', 'anyone_with_link'])
  .describe('Access mode, from narrow to wide. Each mode includes the previous ones.');

const StudyLink = z.object({ path: z.string(), url: z.string() }).meta({ id: 'StudyLink' });

const StudyServer = z
  .object({
    id: z.string(),
    name: z.string(),
    url: z.string().nullable().optional(),
    useOAuth: z.boolean(),
  })
  .meta({ id: 'StudyServer' });

const guestFields = {
  enabled: z.boolean().describe('Whether guests can chat.'),
  computerEnabled: z.boolean().describe('Stored but unused: this service has no computers for guests.'),
  sharedSkillsEnabled: z.boolean().describe('Whether guests can use the skills of the environment.'),
  dailyCreditCap: z
    .number()
    .min(0)
    .max(1_000_000_000)
    .describe('Daily credit limit of all guests together (UTC). 0 disables chat.'),
  dailyComputerStartCap: count.max(1_000_000_000),
  maxConcurrentComputers: count.max(1_000_000_000),
  harnessEnabled: z.boolean().optional().describe('Stored but unused: this service runs no harnesses.'),
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
  hostId: z.string().nullable().optional().describe('ID of the client of the environment.'),
  hostName: z.string().nullable().optional(),
  serverCount: count,
  serverNames: z.array(z.string()),
  link: StudyLink.nullable().optional().describe('`null` if the study is not published.'),
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
    sessionsLately: count.describe('Sessions with activity in the last seven days, up to 1000.'),
    lastSessionAt: Time.nullable(),
  })
  .meta({ id: 'StudySummary' });

export const listStudies = operation({
  summary: 'List the studies of a project',
  description: 'Newest first.',
  path: '/studies',
  query: z.object({
    ...lookupPage,
    includeUnpublished: z
      .enum(['true', 'false'])
      .optional()
      .describe('Include unpublished studies, whose sessions are kept.'),
  }),
  response: pageOf(StudySummary, 'StudyPage'),
  feature: studies.list,
});

export const getStudy = operation({
  summary: 'Read a study',
  description:
    'Settings of the study, and insights into its latest analyzed window of seven days. Visitors who are not project members do not see `environmentId` and `insights`.',
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
    .describe(
      'Incremented by changes that can revoke access. Existing visits then end with their next request.',
    ),
  link: z.string().nullable(),
};

export const publishing = {
  name: Name.optional(),
  description: z.string().max(2000).optional(),
  mode: Mode.optional(),
};

export const publishedAnswer = {
  ...publishedFields,
  created: z.boolean().optional().describe('`false` if it was already published.'),
  overridesIgnored: z
    .boolean()
    .optional()
    .describe('Whether the sent settings were ignored because the study was already published.'),
};

export const publishStudy = operation({
  summary: 'Publish an environment as a study',
  description:
    'Creates a link. Default mode: `invited_only`. A published study does not change. An unpublished one is restored with its ID, members and sessions, and gets a new link.',
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
  deleted: z.boolean().describe('`false` if no study was published.'),
  id: z.string().optional(),
};

export const unpublishStudy = operation({
  summary: 'Unpublish the study of an environment',
  description: 'Ends all visits immediately. Sessions are kept, and the study can be published again.',
  command: 'studies unpublish',
  method: 'DELETE',
  path: '/environments/{environmentId}/study',
  access: 'project admin',
  query: z.object({
    scenarioId: z
      .string()
      .max(200)
      .optional()
      .describe('ID of the study. Required if the environment has several.'),
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
        message: 'Cannot be combined with name and description; send it alone',
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
    'Change name and description, or `mode` alone. A narrower mode ends all visits; visitors who still have access can enter again.',
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
  description: 'The old link stops working. Existing visits continue.',
  method: 'POST',
  path: '/studies/{studyId}/rotate-link',
  response: z.object(rotatedFields).meta({ id: 'StudyLinkRotated' }),
  errors: ['CONFLICT'],
  feature: studies.write,
});

export const MemberRequest = z.strictObject({
  email: z.email('Must be an email address').min(3).max(320),
  sendInviteEmail: z
    .boolean()
    .optional()
    .describe('Send the invitation by email, if this service sends mail.'),
});

export const memberFields = {
  projectId: z.string(),
  email: z.string(),
  memberId: z.string().optional(),
  invited: z.boolean().optional().describe('Whether an email was sent.'),
  entryUrl: z
    .string()
    .optional()
    .describe('One-time link for this person, valid for seven days. Absent if it was sent by email.'),
};

const StudyMember = z
  .object({ id: z.string(), email: z.string(), createdAt: Time, lastSeenAt: Time.nullable() })
  .meta({ id: 'StudyMember' });

export const listStudyMembers = operation({
  command: 'studies members',
  summary: 'List the members of a study',
  path: '/studies/{studyId}/members',
  query: z.object(lookupPage),
  response: pageOf(StudyMember, 'StudyMemberPage'),
  feature: studies.readOne,
});

export const upsertStudyMember = operation({
  command: 'studies invite',
  summary: 'Invite a person to a study',
  description: 'Invites an email address. Repeating the request creates another entry link.',
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
  removed: z.string().describe('Member ID or email address from the request.'),
};

export const removeStudyMember = operation({
  command: 'studies remove-member',
  summary: 'Remove a member from a study',
  description: 'Ends the visits of the member immediately. Visits of others reconnect automatically.',
  method: 'DELETE',
  path: '/studies/{studyId}/members/{memberIdOrEmail}',
  response: z.object({ studyId: z.string(), ...removedFields }).meta({ id: 'StudyMemberRemoved' }),
  feature: studies.write,
});

export const rebindStudy = operation({
  command: 'studies rebind',
  summary: 'Move a study to another environment',
  description: 'Keeps link, members and sessions. Existing conversations cannot be continued.',
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
  summary: 'Set the guest permissions of a study',
  description: 'Replaces all settings.',
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
