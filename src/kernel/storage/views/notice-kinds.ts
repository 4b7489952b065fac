// The kinds of notices, in the order in which documents list them. Notifications, pushes, the web client and the command line
// derive from this list; src/kernel/views/contribution.ts says which messages make a notice. No imports: browsers load this file.

type NoticeKindFields = {
  /** How the views store it: it never changes. */
  readonly number: number
  /** Its name in parameters, in what a user has seen, and in the settings of devices. */
  readonly group: string
  /** What is shown as one: each notice with its `cast`; the people of one cast (`reactions`); or all people, without a cast (`follows`). */
  readonly bundle: 'cast' | 'reactions' | 'follows'
  /** The type that answers give to its cast. */
  readonly castType?: string | undefined
  /** What it counts for the affinity of two users; 0 when it does not. */
  readonly affinity: number
  /** What `rookery notifications` prints after the name of the account that acted. */
  readonly lineWords: string
  /** In the web client: its icon, and whether devices are told of it at first. */
  readonly icon: string
  readonly isOnAtFirst: boolean
}

/** By their type in answers. */
export const NOTICE_KINDS = {
  follows: {
    number: 6,
    group: 'follows',
    bundle: 'follows',
    affinity: 0,
    lineWords: 'follow you',
    icon: 'person',
    isOnAtFirst: true,
  },
  recasts: {
    number: 5,
    group: 'recasts',
    bundle: 'reactions',
    affinity: 2,
    lineWords: 'recast',
    icon: 'recast',
    isOnAtFirst: false,
  },
  likes: {
    number: 4,
    group: 'likes',
    bundle: 'reactions',
    affinity: 1,
    lineWords: 'like',
    icon: 'heart',
    isOnAtFirst: false,
  },
  mention: {
    number: 3,
    group: 'mentions',
    bundle: 'cast',
    castType: 'cast-mention',
    affinity: 3,
    lineWords: 'mentions you',
    icon: 'reply',
    isOnAtFirst: true,
  },
  reply: {
    number: 1,
    group: 'replies',
    bundle: 'cast',
    castType: 'cast-reply',
    affinity: 3,
    lineWords: 'answers',
    icon: 'reply',
    isOnAtFirst: true,
  },
  quote: {
    number: 2,
    group: 'quotes',
    bundle: 'cast',
    castType: undefined,
    affinity: 3,
    lineWords: 'quotes',
    icon: 'reply',
    isOnAtFirst: true,
  },
} as const satisfies Record<string, NoticeKindFields>

type Kinds = typeof NOTICE_KINDS
export type NoticeType = keyof Kinds
/** A kind with its type. */
export type NoticeKind = { [T in NoticeType]: Kinds[T] & { readonly type: T } }[NoticeType]
export type NoticeGroup = NoticeKind['group']

export const ALL_NOTICE_KINDS = Object.entries(NOTICE_KINDS).map(
  ([type, kind]) => ({ type, ...kind }) as NoticeKind,
)
export const NOTICE_GROUPS: readonly NoticeGroup[] = ALL_NOTICE_KINDS.map(({ group }) => group)

const BY_NUMBER = new Map<number, NoticeKind>(ALL_NOTICE_KINDS.map((kind) => [kind.number, kind]))

/** The kind of a stored notice. */
export const noticeKindOf = (number: number): NoticeKind => BY_NUMBER.get(number)!
