import type { Cast, ChannelMember, Invite, User } from '../types.ts'

/** What everybody reads of a channel. */
export const LISTS = ['casts', 'members', 'followers'] as const
/** For those who moderate: reported and hidden casts, invites, banned and removed people. */
export const MODERATED = ['reported', 'invites', 'hidden', 'banned', 'removed'] as const
export type List = (typeof LISTS | typeof MODERATED)[number]

/** A page of any of the lists. */
export type Rows = {
  readonly casts: Cast[]
  readonly members: ChannelMember[]
  readonly users: User[]
  readonly invites: Invite[]
  readonly next: { cursor: string | null }
}
