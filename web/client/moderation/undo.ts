import { ENDED_BY } from '../../../src/features/moderation-records/actions.ts'
import { t } from '../../shared/messages.ts'
import { reasonText } from '../../shared/reasons.ts'
import { dateText } from '../../shared/text.ts'
import type { Act, ActOn } from './act.ts'
import type { Subject } from './calls.ts'
import { type People, whoIs } from './people.ts'
import { TAKEN_BACK } from './words.ts'

/** What happens when a decision of this kind is taken back, in the words of the dialog. */
export const UNDONE = {
  suspend: t('Everything of the account is shown as before.'),
  limit: t('Trends, recommendations, searches and notifications show the account as before.'),
  hide: t('Everybody sees it again.'),
  warn: t('The warning is taken back.'),
}

type Done = Pick<Subject, 'castHash' | 'castText'> & {
  readonly action: string
  readonly fid: number | null
  /** The id of its entry in the log, by which a warning is taken back. */
  readonly entry?: number | undefined
  /** Unix seconds. */
  readonly at?: number
  readonly reason?: string
}

const UNDO: Readonly<Record<string, (done: Done, people: People) => Act | undefined>> = {
  suspend: ({ fid }, people) => ({
    title: t('Restore {whoIs}', { whoIs: whoIs(fid ?? 0, people) }),
    consequence: UNDONE.suspend,
    path: `/moderation/accounts/${fid}/restore`,
    told: t('Restored.'),
  }),
  limit: ({ fid }, people) => ({
    title: t('End the limit of {whoIs}', { whoIs: whoIs(fid ?? 0, people) }),
    consequence: UNDONE.limit,
    path: `/moderation/accounts/${fid}/unlimit`,
    told: t('The limit has ended.'),
  }),
  hide: ({ castHash, castText }) =>
    // Its author has deleted the cast: there is nothing to show again.
    castText === null
      ? undefined
      : {
          title: t('Show the {post} again'),
          about: castText,
          consequence: UNDONE.hide,
          path: `/moderation/casts/${castHash}/unhide`,
          told: t('Shown again.'),
        },
  warn: (done, people) =>
    done.entry === undefined
      ? undefined
      : {
          title: t('Take the decision back'),
          about: done.castText ?? undefined,
          consequence: warningText(done, people),
          path: `/moderation/warnings/${done.entry}/unwarn`,
          told: TAKEN_BACK,
        },
}

/** Which warning it is: an account may have several. */
const warningText = ({ fid, at, reason = '' }: Done, people: People): string => {
  const who = whoIs(fid ?? 0, people)
  const words = reasonText(reason)
  return at === undefined
    ? t('The warning of {who} is taken back: “{words}”', { who, words })
    : t('The warning of {who}, {time}, is taken back: “{words}”', {
        who,
        words,
        time: dateText(at),
      })
}

type Decided = Pick<Done, 'castHash' | 'action'> & {
  readonly id: number
  readonly name: string | null
  readonly fid?: number | null
}

/** Whether one of the decisions that are newer takes this one back. */
export const isTakenBack = (one: Decided, newer: readonly Decided[]): boolean =>
  newer.some(
    ({ action, name, castHash, fid }) =>
      ENDED_BY[one.action]?.some((end) => end === action) &&
      castHash === one.castHash &&
      fid === one.fid &&
      // Each warning stands for itself.
      (one.action !== 'warn' || name === String(one.id)),
  )

/** What only ends something: nothing ends it in turn. */
const REVERSALS = Object.values(ENDED_BY).flatMap(
  (ends) => ends?.filter((end) => !ENDED_BY[end]) ?? [],
)

/** Those that say that a rule was broken: not answers to reports alone, and nothing that a person took back. Newest first. */
export const breachesAmong = <T extends Decided & { readonly actor: string }>(all: readonly T[]) =>
  all.filter(
    (one, at) =>
      one.action !== 'resolve' &&
      REVERSALS.every((action) => action !== one.action) &&
      !isTakenBack(
        one,
        all.slice(0, at).filter(({ actor }) => actor !== SERVER),
      ),
  )
/** It ends suspensions whose time is over. */
const SERVER = 'server'

/** What takes a decision back; undefined where nothing does. */
export const undoOf = (done: Done, people: People): Act | undefined => {
  const act = UNDO[done.action]?.(done, people)
  return act && { ...act, people }
}

const UNDO_ALL: Readonly<
  Record<string, (count: number) => { readonly title: string; readonly consequence: string }>
> = {
  warn: (count) => ({
    title: t('{count, plural, one {Take one warning back} other {Take # warnings back}}', {
      count,
    }),
    consequence: t('The warnings are taken back.'),
  }),
  hide: (count) => ({
    title: t('{count, plural, one {Show one {post} again} other {Show # {posts} again}}', {
      count,
    }),
    consequence: t('Everybody sees them again.'),
  }),
  limit: (count) => ({
    title: t(
      '{count, plural, one {End the limit of one account} other {End the limit of # accounts}}',
      {
        count,
      },
    ),
    consequence: t(
      'Trends, recommendations, searches and notifications show the accounts as before.',
    ),
  }),
  suspend: (count) => ({
    title: t('{count, plural, one {Restore one account} other {Restore # accounts}}', { count }),
    consequence: t('Everything of the accounts is shown as before.'),
  }),
}

type DoneOn = { readonly done: Done; readonly on: ActOn }

/** What takes the same decision about several back; undefined where nothing does. */
export function undoOfAll(all: readonly DoneOn[], people: People): Act | undefined {
  const each = new Map(
    all.flatMap(({ done, on }) => {
      const path = undoOf(done, people)?.path
      return path === undefined ? [] : [[path, { ...on, path }] as const]
    }),
  )
  const words = each.size > 0 ? UNDO_ALL[all[0]?.done.action ?? '']?.(each.size) : undefined
  return words && { ...words, path: `undo ${all[0]!.on.path}`, each: [...each.values()], people }
}
