import { words } from '../../shared/words.ts'
import type { DoneAct, OwnModeration } from './calls.ts'

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

/** What came of a report, as who sent it reads it: the reason of an act is written for the author. */
const DONE: Readonly<Record<DoneAct, string>> = {
  warn: 'The author was warned.',
  hide: `The ${words.post} was hidden.`,
  'remove-poll': 'The poll was removed.',
  limit: 'The account was limited.',
  suspend: 'The account was suspended.',
}

export const doneText = (act: string): string | undefined => DONE[act as DoneAct]

export const TAKEN_BACK = 'It was taken back after an appeal.'

type Report = OwnModeration['reports'][number]
export const answerText = ({ act, answer }: Pick<Report, 'act' | 'answer'>): string =>
  (act && doneText(act)) ?? answer ?? 'A moderator has looked at it.'

/** Entries of the log, as moderators read them. */
const ACTIONS: Readonly<Record<string, string>> = {
  warn: 'Warned',
  suspend: 'Suspended',
  restore: 'Restored',
  limit: 'Limited',
  unlimit: 'Limit ended',
  hide: `${words.Post} hidden`,
  unhide: `${words.Post} shown again`,
  release: `${words.Post} released`,
  hold: 'Held for review',
  resolve: 'Report answered',
  answer: 'Appeal answered',
  'remove-file': 'File removed',
  'remove-poll': 'Poll removed',
  'remove-app': 'App removed',
  'restore-app': 'App restored',
  'take-name': 'Name taken',
  erase: 'Erased',
  export: 'Exported',
  appoint: 'Role given:',
  dismiss: 'Role ended',
  describe: 'Texts edited:',
  set: 'Setting changed:',
  'approve-join': 'Let in',
  'decline-join': 'Not let in',
  'list-term': 'Holds from now on',
  'unlist-term': 'Holds no longer',
}

export const actionText = (action: string): string => ACTIONS[action] ?? action

export const isoTime = (unixSeconds: number): string => new Date(unixSeconds * 1_000).toISOString()
