import { t } from '../../shared/messages.ts'
import { reasonText } from '../../shared/reasons.ts'
import { dateText } from '../../shared/text.ts'
import type { DoneAct, Entry, OwnModeration } from './calls.ts'

const TEXTS: Readonly<Record<string, string>> = {
  suspend: t('Your account was suspended.'),
  restore: t('The suspension of your account ended.'),
  limit: t(
    'Your account was limited: only your followers are shown it in trends, recommendations, searches and notifications.',
  ),
  hold: t('Your {post} waits for a moderator.'),
  warn: t('The moderators warn you.'),
  unwarn: t('A warning of yours was taken back.'),
  unlimit: t('Your account is not limited any more.'),
  hide: t('Your {post} was hidden.'),
  unhide: t('Your {post} is shown again.'),
  release: t('Your {post} was released: everybody can see it.'),
  'take-name': t('Your name was taken.'),
  'remove-file': t('A picture or video of yours was removed.'),
  'remove-poll': t('A poll of yours was removed.'),
  dismiss: t('Your role on this server ended.'),
}

/** A decision as the member reads it. */
export const decisionText = ({ action, name }: { action: string; name: string | null }): string =>
  action === 'appoint'
    ? name === 'operator'
      ? t('You are an operator of this server.')
      : t('You are a moderator of this server.')
    : (TEXTS[action] ?? action)

/** What came of a report, as who sent it reads it: the reason of an act is written for the author. */
const DONE: Readonly<Record<DoneAct, string>> = {
  warn: t('The author was warned.'),
  hide: t('The {post} was hidden.'),
  'remove-poll': t('The poll was removed.'),
  limit: t('The account was limited.'),
  suspend: t('The account was suspended.'),
}

export const doneText = (act: string): string | undefined => DONE[act as DoneAct]

/** What a suspended account reads above all. */
export const suspendedText = (until: number | null): string =>
  until === null
    ? t('Your account is suspended: nobody sees what you wrote, and you cannot write.')
    : t(
        'Your account is suspended until {date}: nobody sees what you wrote, and you cannot write.',
        {
          date: dateText(until),
        },
      )

export const TAKEN_BACK = t('The decision was taken back.')

type Report = OwnModeration['reports'][number]
export const answerText = ({ act, answer }: Pick<Report, 'act' | 'answer'>): string =>
  (act && doneText(act)) ??
  (answer === null ? t('A moderator has looked at it.') : reasonText(answer))

/** Entries of the log about an account and what it wrote, as moderators read them; the others are sentences (web/shared/log-words.ts). */
const ACTIONS: Readonly<Record<string, string>> = {
  warn: t('Warned'),
  unwarn: t('Warning taken back'),
  suspend: t('Suspended'),
  restore: t('Restored'),
  limit: t('Limited'),
  unlimit: t('Limit ended'),
  hide: t('{Post} hidden'),
  unhide: t('{Post} shown again'),
  release: t('{Post} released'),
  hold: t('Held for review'),
  resolve: t('Report answered'),
  'remove-file': t('File removed'),
  'remove-poll': t('Poll removed'),
  'take-name': t('Name taken'),
  erase: t('Erased'),
  export: t('Exported'),
  appoint: t('Role given:'),
  dismiss: t('Role ended'),
}

export const isTitled = (action: string): boolean =>
  action === 'answer' || Object.hasOwn(ACTIONS, action)

/** When a suspension ends, in the words of the reader; undefined of one for good, and of everything else. */
export function endOf({ action, name }: Pick<Entry, 'action' | 'name'>): string | undefined {
  const [, day, time] = /^until (\S+) (\S+) UTC$/.exec((action === 'suspend' && name) || '') ?? []
  return day && dateText(Date.parse(`${day}T${time}Z`) / 1_000)
}

export function actionText({ action, name }: Pick<Entry, 'action' | 'name'>): string {
  if (action !== 'answer') return ACTIONS[action] ?? action
  return name === 'reversed'
    ? t('Appeal answered: the decision was taken back')
    : t('Appeal answered: the decision stays')
}

export const isoTime = (unixSeconds: number): string => new Date(unixSeconds * 1_000).toISOString()
