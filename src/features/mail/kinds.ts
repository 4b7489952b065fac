// The kinds of mails. No imports: browsers load this file.

type MailKindFields = {
  /** In “My account”, for kinds that members may turn off; undefined: the account itself is at stake. */
  readonly setting: string | undefined
}

/** What an account is told of. */
export const MAIL_KINDS = {
  security: { setting: undefined },
  moderation: { setting: 'Decisions about what I wrote, and answers to my reports' },
  reports: { setting: 'New reports, while I moderate' },
} as const satisfies Readonly<Record<string, MailKindFields>>
export type MailKind = keyof typeof MAIL_KINDS

/** Those that can be turned off. */
export const OPTIONAL_KINDS = (Object.keys(MAIL_KINDS) as MailKind[]).filter(
  (kind) => MAIL_KINDS[kind].setting !== undefined,
)

export const DIGESTS = ['off', 'daily', 'weekly'] as const
export type Digest = (typeof DIGESTS)[number]

/** What waits to be sent: notices, links that somebody asked for, digests, and the test of the operator. */
export const QUEUED_KINDS = ['security', 'moderation', 'reports', 'link', 'digest'] as const
export type QueuedKind = (typeof QUEUED_KINDS)[number]
