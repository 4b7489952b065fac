/** What is sent: links that somebody has asked for, and what concerns the security of an account. Neither can be turned off. */
export const MAIL_KINDS = ['link', 'security'] as const
export type MailKind = (typeof MAIL_KINDS)[number]
