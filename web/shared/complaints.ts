/** What members say is wrong, in the words of the form. */
export const COMPLAINTS = {
  spam: 'Spam',
  harassment: 'Harassment',
  hate: 'Hate',
  violence: 'Violence',
  sexual: 'Sexual content',
  'child-safety': 'Safety of children',
  impersonation: 'Somebody else’s name',
  illegal: 'Against the law',
  rule: 'A rule of this server',
  other: 'Something else',
} as const

/** Of reports as moderators see them. */
const KINDS: Readonly<Record<string, string>> = {
  ...COMPLAINTS,
  held: 'Held for a word or domain',
  none: 'Without a kind',
}
export const kindName = (kind: string): string => KINDS[kind] ?? kind
