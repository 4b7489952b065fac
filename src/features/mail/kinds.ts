/** What members may turn off. */
export const CHOSEN_KINDS = ['decisions', 'reports', 'digest'] as const
export type ChosenKind = (typeof CHOSEN_KINDS)[number]

/** What concerns the security of an account, which cannot be turned off; `veto`: that with which its owner keeps the account. */
export const SECURITY_KINDS = ['veto', 'security'] as const
export type SecurityKind = (typeof SECURITY_KINDS)[number]

/**
 * What is sent: links that somebody has asked for, and what concerns the security of an account; decisions
 * of moderators and their answers; for moderators that reports wait; and a digest.
 */
export const MAIL_KINDS = ['link', ...SECURITY_KINDS, ...CHOSEN_KINDS] as const
export type MailKind = (typeof MAIL_KINDS)[number]

export const isSecurity = (kind: MailKind): kind is SecurityKind =>
  (SECURITY_KINDS as readonly string[]).includes(kind)
export const isChosen = (kind: MailKind): kind is ChosenKind =>
  (CHOSEN_KINDS as readonly string[]).includes(kind)
