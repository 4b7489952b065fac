import { t } from '../shared/messages.ts'

// What runs in the background and what is checked, in the language of the page: logs and metrics have the names.

export const JOB_WORDS: Readonly<Record<string, string>> = {
  'answer reports': t('Answer those who reported'),
  'app API clean-up': t('Tidy up the app API'),
  'change mail addresses': t('Change e-mail addresses after their waiting time'),
  'clean mini apps': t('Tidy up mini apps'),
  'confirm calls': t('Confirm transactions'),
  'correct kept counts': t('Correct counts'),
  'count channel activity': t('Count the activity of channels'),
  'end suspensions': t('End suspensions'),
  'finish erasures': t('Finish erasures'),
  'follow accounts': t('Follow the chain of accounts'),
  'follow names': t('Follow names'),
  'follow tiers': t('Follow the chain of subscriptions'),
  'key requests': t('Tidy up requests for keys'),
  'list backups': t('Look for backups'),
  'mail digests': t('Write digests by e-mail'),
  'mail reports': t('Write to moderators by e-mail'),
  'make backups': t('Make backups'),
  'media clean-up': t('Delete pictures and videos that nobody uses'),
  'mini app deliveries': t('Deliver to mini apps'),
  mirror: t('Mirror another hub'),
  moderation: t('Keep to decisions of moderators'),
  'power badges': t('Give power badges'),
  'prune events': t('Delete old events'),
  'prune messages': t('Delete what has no room'),
  'prune notices': t('Delete old notices'),
  'push notices': t('Find what to send to devices'),
  'push reports': t('Send to the devices of moderators'),
  'queue held casts': t('Hold {posts} with listed words'),
  'rank casts': t('Rank {posts}'),
  'recover accounts': t('Move lost accounts'),
  'refresh actions': t('Read actions again'),
  'refresh mini apps': t('Read mini apps again'),
  'relay transactions': t('Send transactions'),
  'renew storage': t('Renew storage'),
  'requests to join': t('Forget old requests to join'),
  'revoke unreadable messages': t('Remove messages of keys that are gone'),
  'sample metrics': t('Record the numbers of the week'),
  'sealed keys': t('Tidy up sealed keys'),
  'send mails': t('Send e-mails'),
  'send pushes': t('Send to devices'),
  'sign in': t('Tidy up sign-ins'),
  'tell of lost accounts': t('Tell operators who asks for a lost account'),
  'tell of new keys': t('Tell members of new keys'),
  'votes of polls': t('Delete the votes of old polls'),
  'webhook deliveries': t('Deliver to webhooks'),
}

export const OUTCOMES = {
  succeeded: t('succeeded'),
  failed: t('failed', undefined, 'a run of a job'),
  aborted: t('broken off'),
} as const

/** What the health of the server is made of. */
export const CHECK_WORDS: Readonly<Record<string, string>> = {
  storage: t('Database'),
  views: t('Feeds, search and counts'),
}
export const CHECK_STATES: Readonly<Record<string, string>> = {
  ok: t('yes'),
  failed: t('no: it fails'),
  'timed out': t('no: it took too long'),
  unavailable: t('no'),
}
