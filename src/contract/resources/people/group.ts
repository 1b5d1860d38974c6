import type { Static } from 'typebox'
import { moment, oneOf, orNull, page, record } from '../../scalars.ts'
import { groupChanges, groupRoles, joinDecisions, memberActions } from '../../statuses.ts'
import Type from '../../type.ts'

/** Members of a group that are shown; and those that one request, or one event, may name. */
export const maxGroupMembers = 1_024
export const maxChangedMembers = 50
export const maxToldMembers = 100

/** UTF-16 units of what networks say about groups; the rest is cut off. */
export const maxGroupSubject = 256
export const maxGroupDescription = 4_096
export const maxGroupName = 256
/** Characters of an invitation to a group. */
export const maxInvitation = 2_048

const address = Type.String({
  description: 'The address of the group. Send to it as you send to a person.',
  examples: ['team@group.sandbox'],
})
const someSubject = Type.String({
  maxLength: maxGroupSubject,
  description: 'The subject, which is the name that people see.',
  examples: ['Team'],
})
const GroupRole = oneOf(groupRoles, {
  title: 'GroupRole',
  description: 'The part of a member in a group. An `admin` may change it, and the `owner` made it.',
})

const fields = {
  address,
  subject: orNull(someSubject),
  description: orNull(
    Type.String({ maxLength: maxGroupDescription, description: 'What the group says about itself.' }),
  ),
  size: orNull(
    Type.Integer({ minimum: 0, description: 'The number of members; null if the network does not say.' }),
  ),
  role: orNull(GroupRole),
  approval: orNull(
    Type.Boolean({
      description:
        'Whether people who follow the invite link need approval (`…/requests`); null if the network does not say.',
    }),
  ),
  created_at: orNull(moment('When the group was created; null if the network does not say.')),
}

export const Group = record(
  'Group',
  fields,
  'A group that the account of an instance is in, as the network shows it. `role` is that of the account itself.',
)
export type Group = Static<typeof Group>

export const GroupPage = page('GroupPage', Group)

const GroupMember = record(
  'GroupMember',
  {
    address: Type.String({ description: 'The address of the member.', examples: ['ana@delivers.sandbox'] }),
    name: orNull(
      Type.String({
        maxLength: maxGroupName,
        description: 'The name of the member, if the network gives it.',
        examples: ['Ana'],
      }),
    ),
    role: GroupRole,
  },
  'A member of a group.',
)

export const GroupWithMembers = record(
  'GroupWithMembers',
  {
    ...fields,
    members: orNull(
      Type.Array(GroupMember, {
        maxItems: maxGroupMembers,
        description: `The members, at most ${maxGroupMembers}; null if the network does not show them.`,
      }),
    ),
    members_left_out: Type.Integer({
      minimum: 0,
      description: 'The number of members that the network showed and that are not in `members`.',
    }),
  },
  'A group with its members.',
)
export type GroupWithMembers = Static<typeof GroupWithMembers>

const subject = Type.String({
  minLength: 1,
  maxLength: maxGroupSubject,
  description:
    'The subject, at most as long as the network allows (`limits.group_subject_length` of `GET /v1/networks`).',
  examples: ['Team'],
})

const members = (description: string, minItems: number) =>
  Type.Array(
    Type.String({ minLength: 1, maxLength: 1024, description: 'An address, in the form of the network.' }),
    { minItems, maxItems: maxChangedMembers, description, examples: [['ana@delivers.sandbox']] },
  )

const description = (more = '') =>
  Type.String({
    maxLength: maxGroupDescription,
    description:
      'What the group says about itself, at most as long as the network allows (`limits.group_description_length` of `GET /v1/networks`). ' +
      `The network must be able to describe groups (\`describe\` in \`abilities.groups\`).${more}`,
    examples: ['For all who travel to Lisbon.'],
  })

export const CreateGroupBody = record('CreateGroupBody', {
  subject,
  description: Type.Optional(description()),
  approval: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Require approval of people who follow the invite link. The network must be able to do it (`approval` in `abilities.groups`).',
    }),
  ),
  members: members('The people to add, without the account itself. Some networks want at least one.', 0),
})

export const JoinGroupBody = record('JoinGroupBody', {
  invitation: Type.String({
    minLength: 1,
    maxLength: maxInvitation,
    description: 'The invite link, or the address of a group that is open to all.',
    examples: ['https://sandbox.example/join/team@group.sandbox'],
  }),
})

/** One of these, because a network carries each out by itself: what became of two could not be told in one response. */
export const UpdateGroupBody = Type.Object(
  {
    subject: Type.Optional(subject),
    description: Type.Optional(description(' An empty text takes it away.')),
  },
  { title: 'UpdateGroupBody', additionalProperties: false, minProperties: 1, maxProperties: 1 },
)

export const ChangeMembersBody = record('ChangeMembersBody', {
  action: oneOf(memberActions, {
    title: 'MemberAction',
    description:
      '`add` or `remove` members, `promote` members to admins, or `demote` admins. The network must be able to do it (`abilities.groups`).',
  }),
  members: members('The people whom it is about.', 1),
})

const MemberError = record(
  'GroupMemberError',
  {
    code: Type.String({
      description: 'The reason, as a stable code: one of the errors of the network.',
      examples: ['recipient_unknown'],
    }),
    detail: Type.String({ description: 'What happened and what to do next, for a person.' }),
    network_code: orNull(Type.String({ description: "The network's own code, word for word." })),
  },
  'The reason why the network refused a member.',
)
export type GroupMemberError = Static<typeof MemberError>

const MemberResult = record(
  'MemberResult',
  {
    input: Type.String({ description: 'The address as you gave it.', examples: ['ana@delivers.sandbox'] }),
    address: Type.String({ description: 'The normalized address.', examples: ['ana@delivers.sandbox'] }),
    result: oneOf(['done', 'refused', 'unknown'], {
      title: 'MemberOutcome',
      description: '`unknown`: the network did not say. Look at the group before you repeat the request.',
    }),
    error: orNull(MemberError),
  },
  'The result for one member.',
)

export type MemberResult = Static<typeof MemberResult>

export const ChangedMembers = record('ChangedMembers', {
  data: Type.Array(MemberResult, {
    maxItems: maxChangedMembers,
    description: 'The result for each member, in the order of the request.',
  }),
})

const JoinRequest = record(
  'JoinRequest',
  {
    address: Type.String({
      description: 'The address of the person who asks.',
      examples: ['cy@delivers.sandbox'],
    }),
    name: orNull(
      Type.String({ maxLength: maxGroupName, description: 'Their name, if the network gives it.' }),
    ),
    asked_at: orNull(moment('When they asked; null if the network does not say.')),
  },
  'A person who asks to join a group.',
)
export type JoinRequest = Static<typeof JoinRequest>

export const JoinRequestPage = page('JoinRequestPage', JoinRequest)

export const DecideRequestsBody = record('DecideRequestsBody', {
  action: oneOf(joinDecisions, {
    title: 'JoinDecision',
    description: '`approve` lets people join, `decline` does not; they may ask again.',
  }),
  people: members('The people who asked.', 1),
})

export const InviteLinkBody = record('InviteLinkBody', {
  renew: Type.Optional(
    Type.Boolean({ default: false, description: 'Make a new link, so that earlier ones no longer work.' }),
  ),
})

export const InviteLink = record(
  'InviteLink',
  {
    url: Type.String({
      maxLength: maxInvitation,
      description: 'The link. Anyone who has it can join.',
      examples: ['https://sandbox.example/join/team@group.sandbox'],
    }),
  },
  'A link by which people join a group.',
)

const changes: Readonly<Record<(typeof groupChanges)[number], string>> = {
  created: 'the group was created, by the account or with it.',
  renamed: 'it has another subject.',
  members_added: '`members` joined, or were added.',
  members_removed: '`members` left, or were removed.',
  members_promoted: '`members` became admins.',
  members_demoted: '`members` are no longer admins.',
  join_requested: '`members` asked to join: let them in, or do not (`…/requests`).',
  join_request_withdrawn: '`members` no longer ask to join.',
  account_joined: 'the account of the instance joined, or was added.',
  account_left: 'the account left, or was removed.',
  changed: 'something else changed, or so much that Posthorn does not list it: read the group.',
}

/** Fields of an event about a group, besides its instance. */
export const groupChangeFields = {
  group: record(
    'GroupNotice',
    { address, subject: orNull(someSubject) },
    'The group. `subject` is null if Posthorn does not know it.',
  ),
  change: oneOf(groupChanges, {
    title: 'GroupChange',
    description: [
      'The change. New values may be added.',
      ...groupChanges.map((change) => `- \`${change}\`: ${changes[change]}`),
    ].join('\n'),
  }),
  members: Type.Array(Type.String(), {
    maxItems: maxToldMembers,
    description: `The addresses of the members that changed, at most ${maxToldMembers}.`,
  }),
  members_left_out: Type.Integer({
    minimum: 0,
    description: 'The number of members that changed and are not in `members`.',
  }),
  by: orNull(
    Type.String({ description: 'The address of the person who changed it; null if that is not known.' }),
  ),
  at: moment('When it changed, by the time of the network.'),
}
