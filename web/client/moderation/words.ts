import { words } from '../../shared/words.ts'

const TEXTS: Readonly<Record<string, string>> = {
  suspend: 'Your account was suspended.',
  restore: 'The suspension of your account ended.',
  limit:
    'Your account was limited: only your followers are shown it in trends, recommendations, searches and notifications.',
  hold: `Your ${words.post} waits for a moderator.`,
  warn: 'The moderators warn you.',
  unlimit: 'Your account is not limited any more.',
  hide: `Your ${words.post} was hidden.`,
  unhide: `Your ${words.post} is shown again.`,
  release: `Your ${words.post} was released: everybody can see it.`,
  'take-name': 'Your name was taken.',
  'remove-file': 'A picture or video of yours was removed.',
  'remove-poll': 'A poll of yours was removed.',
  dismiss: 'Your role on this server ended.',
}

/** A decision as the member reads it. */
export const decisionText = ({ action, name }: { action: string; name: string | null }): string =>
  action === 'appoint'
    ? `You are ${name ?? 'moderator'} of this server.`
    : (TEXTS[action] ?? action)

export const isoTime = (unixSeconds: number): string => new Date(unixSeconds * 1_000).toISOString()
