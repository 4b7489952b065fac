import { t } from '../../shared/messages.ts'
import type { Act } from './act.ts'
import type { Subject } from './calls.ts'
import { type People, whoIs } from './people.ts'

/** What happens when a decision of this kind is taken back, in the words of the dialog. */
export const UNDONE = {
  suspend: t('Everything of the account is shown as before.'),
  limit: t('Trends, recommendations, searches and notifications show the account as before.'),
  hide: t('Everybody sees it again.'),
}

type Done = Pick<Subject, 'castHash' | 'castText'> & {
  readonly action: string
  readonly fid: number | null
}

const UNDO: Readonly<Record<string, (done: Done, people: People) => Act>> = {
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
  hide: ({ castHash, castText }) => ({
    title: t('Show the {post} again'),
    about: castText ?? undefined,
    consequence: UNDONE.hide,
    path: `/moderation/casts/${castHash}/unhide`,
    told: t('Shown again.'),
  }),
}

const TAKES_BACK: Readonly<Record<string, string>> = {
  restore: 'suspend',
  unlimit: 'limit',
  unhide: 'hide',
}

type Decided = Pick<Done, 'castHash' | 'action'> & { readonly fid?: number | null }

/** Whether one of the decisions that are newer takes this one back. */
export const isTakenBack = (one: Decided, newer: readonly Decided[]): boolean =>
  newer.some(
    ({ action, castHash, fid }) =>
      TAKES_BACK[action] === one.action && castHash === one.castHash && fid === one.fid,
  )

/** What takes a decision back; undefined where nothing does. */
export const undoOf = (done: Done, people: People): Act | undefined => {
  const act = UNDO[done.action]?.(done, people)
  return act && { ...act, people }
}
