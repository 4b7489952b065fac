import type { Viewer } from './shown.ts'

// Lists of casts by time, out of the views. Every statement costs about the same, however many rows there are.

/** A place in a feed: a cast or a recast. `key` is that of the cast. */
export type FeedItem = {
  readonly doc: number
  readonly fid: number
  readonly kind: number
  readonly key: Uint8Array
}

/** Larger than every doc. */
export const LAST_DOC = Number.MAX_SAFE_INTEGER

/** The columns of a FeedItem, as `view_post p`. */
export const ITEM = 'p.doc, p.fid, p.kind, coalesce(p.key, p.target) as key'

/** Rows that one page looks at where filters may leave nearly all of them out. */
export const MAX_SCANNED_ROWS = 5_000

export const newestFirst = (a: FeedItem, b: FeedItem): number => b.doc - a.doc

export type FollowingQuery = {
  readonly fid: number
  readonly withRecasts: boolean
  readonly viewer: Viewer
  /** Only items with a smaller doc. */
  readonly before: number
  readonly limit: number
}

/** A place, and the filters of its channel. */
export type PlaceRules = {
  /** The id of the place. */
  readonly place: number
  /** Only what this channel shows. */
  readonly channelId?: string | undefined
  /** Only members of the channel. */
  readonly membersOnly?: boolean | undefined
  /** Only casts that one of these users liked. */
  readonly likedBy?: readonly number[] | undefined
}

export type PlaceFeed = {
  readonly places: readonly PlaceRules[]
  readonly withReplies: boolean
  /** Only casts of these users. */
  readonly fids?: readonly number[] | undefined
  readonly viewer: Viewer
  readonly before: number
  readonly limit: number
}

/** Items, newest first, and where the list goes on; undefined when nothing is left. */
export type PlacePage = { readonly items: FeedItem[]; readonly next: number | undefined }

/** A place in the list of one author's messages. */
export type AuthorPosition = { readonly timestamp: number; readonly hash: Uint8Array }

export type AuthorFeed = {
  readonly fid: number
  readonly after: AuthorPosition | undefined
  readonly limit: number
  /** Only casts that reply to no cast, or only replies to casts. */
  readonly only?: 'cast' | 'reply' | undefined
  readonly place?: number | undefined
  /** Only casts that one of these keys signed. */
  readonly signers?: readonly Uint8Array[] | undefined
}

export type AuthorPage = {
  readonly items: readonly (FeedItem & AuthorPosition)[]
  /** Where the next page begins; undefined when nothing is left. */
  readonly next: AuthorPosition | undefined
}
