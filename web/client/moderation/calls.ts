import { useQuery } from '@tanstack/react-query'
import { t } from '../../shared/messages.ts'
import { fetchJson } from '../../shared/request.ts'
import { type BrowserKey, findKey } from '../act/key-store.ts'
import { useSession } from '../session/session.tsx'

// Calls that only the account itself may make. Each is signed by the key of this browser. Those of screens are in own.ts: this file is
// loaded before anything is shown.

export type Appeal = {
  readonly id: number
  readonly decision: number
  readonly action: string
  readonly castHash: string | null
  readonly text: string
  readonly state: 'open' | 'answered'
  readonly createdAt: number
  readonly answeredAt: number | null
  readonly outcome: 'upheld' | 'reversed' | null
  readonly answer: string | null
}

export type OwnModeration = {
  readonly suspended: boolean
  /** Unix seconds; null: for good. */
  readonly suspendedUntil: number | null
  readonly limited: boolean
  readonly role: 'moderator' | 'operator' | null
  readonly decisions: readonly {
    readonly id: number
    readonly at: number
    readonly action: string
    readonly castHash: string | null
    readonly castText: string | null
    readonly name: string | null
    readonly reason: string
  }[]
  readonly appeals: readonly Appeal[]
  readonly reports: readonly {
    readonly id: number
    readonly fid: number
    readonly castHash: string | null
    readonly reason: string
    readonly state: 'open' | 'resolved'
    readonly createdAt: number
    readonly resolvedAt: number | null
    readonly answer: string | null
    readonly act: DoneAct | 'leave' | null
    /** Unix seconds; null: it was not taken back. */
    readonly reversedAt: number | null
  }[]
}

/** What is done about what is reported, beside leaving it. */
export type DoneAct = 'warn' | 'hide' | 'remove-poll' | 'limit' | 'suspend'

/** An entry of the log of moderation. */
export type Entry = {
  readonly id: number
  readonly at: number
  readonly actor: string
  readonly action: string
  readonly fid: number | null
  readonly name: string | null
  readonly castHash: string | null
  readonly reason: string
}

/** What a moderator wrote about an account for others. */
export type Note = {
  readonly id: number
  readonly at: number
  readonly author: string
  readonly text: string
}

/** Who looks at a case at the moment. */
export type Claim = {
  readonly actor: string
  /** Null for who has the token of the operator. */
  readonly fid: number | null
  readonly since: number
  readonly word: string | null
}

/** What a report or an appeal is about. */
export type Subject = {
  readonly fid: number
  readonly castHash: string | null
  readonly castText: string | null
  /** The addresses that it carries or answers. */
  readonly castUrls: readonly string[]
  readonly castParent: { readonly fid: number; readonly hash: string } | null
  readonly castQuotes: readonly { readonly fid: number; readonly hash: string }[]
  readonly hidden: boolean
  readonly suspended: boolean
  readonly limited: boolean
  /** Nobody decides about somebody of the same role. */
  readonly mayDecide: boolean
  readonly earlier: readonly Entry[]
  readonly notes: readonly Note[]
}

/** What is reported, with the reports about it. */
export type Case = Subject & {
  readonly id: number
  readonly miniAppDomain: string | null
  /** Hidden until it is decided about. */
  readonly held: boolean
  /** Further casts of the account that wait to come into the queue. */
  readonly moreHeld: number
  readonly hasPoll: boolean
  readonly taken: Claim | null
  readonly reportCount: number
  /** As what all of them say it is wrong, the most frequent first. */
  readonly kinds: readonly { readonly kind: string; readonly count: number }[]
  readonly reports: readonly (OwnModeration['reports'][number] & {
    readonly reporterFid: number
    readonly kind: string | null
    readonly rule: string | null
  })[]
}

export type OpenAppeal = Appeal &
  Subject & {
    /** Nobody answers an appeal against their own decision. */
    readonly mayAnswer: boolean
    readonly decided: Entry | null
  }

export const tokenOf = async (key: BrowserKey) => (await import('../act/platform.ts')).tokenOf(key)

export const callPlatform = async <T>(
  key: BrowserKey,
  path: string,
  body?: object,
  method: 'GET' | 'POST' | 'DELETE' = body ? 'POST' : 'GET',
): Promise<T> =>
  fetchJson<T>(`/platform/v1${path}`, { method, ...(body && { body }), token: await tokenOf(key) })

/** The key of this browser for an account. */
export async function keyOf(fid: number | undefined): Promise<BrowserKey> {
  const key = fid === undefined ? undefined : await findKey(fid)
  if (!key) throw new Error(t('Sign in again: this browser has no key of your account.'))
  return key
}

/** How often who moderates asks what waits, and who is suspended whether that has ended. */
const QUEUE_EVERY_MS = 60_000

/** What an account may send while it is new; null in it: as much as others. */
export type NewAccount = Record<'posts' | 'links' | 'mentions', number | null> & {
  /** Unix seconds. */
  readonly endsAt: number
}

type Standing = {
  readonly role: OwnModeration['role']
  readonly suspended: boolean
  /** Unix seconds; null: for good, or not suspended. */
  readonly suspendedUntil: number | null
  readonly waiting: number
  readonly newAccount: NewAccount | null
  /** Rules that the account has to agree to. */
  readonly consent: object | null
}

export const STANDING = ['own', 'standing']
const NO_STANDING: Standing = {
  ...{ role: null, suspended: false, suspendedUntil: null },
  ...{ waiting: 0, newAccount: null, consent: null },
}
/** Rules may change while the client stays open. */
const STANDING_AGE_MS = 10 * 60_000

/** What everybody who writes asks once a visit, and who moderates or is suspended again and again. */
function useStanding() {
  const { fid } = useSession()
  return useQuery({
    queryKey: [...STANDING, fid],
    queryFn: async (): Promise<Standing> => {
      const key = await findKey(fid!)
      if (!key) return NO_STANDING
      return (await callPlatform<{ result: Standing }>(key, '/own-standing')).result
    },
    enabled: fid !== undefined,
    retry: false,
    staleTime: STANDING_AGE_MS,
    refetchInterval: ({ state }) =>
      state.data?.role || state.data?.suspended ? QUEUE_EVERY_MS : false,
  })
}

/** What waits for a moderator; undefined for everybody else. */
export function useModeratorQueue(): number | undefined {
  const { data } = useStanding()
  return data?.role ? data.waiting : undefined
}

/** The role of the account; undefined or null without one. */
export const useOwnRole = (): OwnModeration['role'] | undefined => useStanding().data?.role

/** What the account may send while it is new, where the operator limits that. */
export const useNewAccount = (): NewAccount | undefined =>
  useStanding().data?.newAccount ?? undefined

/** Whether the account is suspended, and writes in vain. */
export const useIsSuspended = (): boolean => Boolean(useStanding().data?.suspended)

/** When the suspension of the account ends, in Unix seconds; null: never, or there is none. */
export const useSuspendedUntil = (): number | null => useStanding().data?.suspendedUntil ?? null

/** Whether the account has to agree to the rules before it writes. */
export const useIsConsentAsked = (): boolean => Boolean(useStanding().data?.consent)
