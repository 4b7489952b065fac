/** What entries of the log of moderation say that was done. The pages import this list. */
export const MODERATION_ACTIONS = [
  'suspend',
  'restore',
  'limit',
  'unlimit',
  'warn',
  /** A warning is taken back: `name` is the id of its entry. */
  'unwarn',
  'hold',
  'hide',
  'unhide',
  /** A cast that was held is shown for the first time. */
  'release',
  'take-name',
  'resolve',
  'erase',
  'export',
  'answer',
  'appoint',
  'dismiss',
  'describe',
  'set',
  'remove-file',
  'remove-poll',
  'remove-app',
  'restore-app',
  'start-recovery',
  'refuse-recovery',
  'approve-join',
  'decline-join',
  'list-term',
  'unlist-term',
  'limit-newcomers',
] as const
export type ModerationAction = (typeof MODERATION_ACTIONS)[number]

/**
 * By act: the acts that end it, after an appeal or without one. An act that is not named here has no end. A cast that is held for review
 * is either hidden by a moderator or released.
 */
export const ENDED_BY: Partial<Readonly<Record<string, readonly ModerationAction[]>>> = {
  warn: ['unwarn'],
  hold: ['release', 'hide'],
  hide: ['unhide', 'release'],
  limit: ['unlimit'],
  suspend: ['restore'],
}
