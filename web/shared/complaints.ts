import { t } from './messages.ts'

/** What members say is wrong, in the words of the form. */
export const COMPLAINTS = {
  spam: t('Spam'),
  harassment: t('Harassment'),
  hate: t('Hate'),
  violence: t('Violence'),
  sexual: t('Sexual content'),
  'child-safety': t('Safety of children'),
  impersonation: t('Somebody else’s name'),
  illegal: t('Against the law'),
  rule: t('A rule of this server'),
  other: t('Something else'),
} as const

/** Of reports as moderators see them. */
const KINDS: Readonly<Record<string, string>> = {
  ...COMPLAINTS,
  held: t('Held for a word or domain'),
  none: t('Without a kind'),
}
export const kindName = (kind: string): string => KINDS[kind] ?? kind
