// Sets of messages that collide a lot, and a slow, obvious model of what a hub makes of such a set. The
// model knows nothing of slots: it filters and sorts.

import * as fc from 'fast-check'
import { Candidate } from '../src/kernel/hub/submit/candidate.ts'
import {
  buildMessage,
  castAdd,
  castRemove,
  type DataInit,
  linkAdd,
  linkCompactState,
  linkRemove,
  type Origin,
  reactionAdd,
  reactionRemove,
  userDataAdd,
  usernameProof,
  verificationAddEth,
  verificationRemove,
} from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import { UserNameType } from '../src/kernel/protocol/wire/message_pb.js'
import { DEVNET, type TestAccount } from './world.ts'

/** Author 0, 1 or 2 says something at a moment; small numbers stand for things, so that they collide. */
export type Draft = { readonly author: number; readonly at: number } & Body

type Cast = {
  readonly kind: 'cast'
  readonly text: number
  /** 0: none, 1 and 2: casts, 3: a url. */
  readonly parent: number
  readonly mentions: readonly number[]
}
type Body =
  | Cast
  | { readonly kind: 'uncast'; readonly cast: Cast & { readonly at: number } }
  | { readonly kind: 'react' | 'unreact'; readonly type: 1 | 2; readonly target: number }
  | { readonly kind: 'link' | 'unlink'; readonly type: string; readonly target: number }
  | { readonly kind: 'compact'; readonly type: string; readonly targets: readonly number[] }
  | { readonly kind: 'profile'; readonly type: number; readonly value: number }
  | { readonly kind: 'verify' | 'unverify'; readonly address: number }
  | { readonly kind: 'prove'; readonly name: number }

const LINK_TYPES = ['follow', 'block', 'a']
const PROFILE_TYPES = [1, 2, 3, 7]
export const AUTHORS = 3
export const TARGETS = 4
/** One more than a unit holds, and some more. */
const ADDRESSES = 8

const moment = fc.integer({ min: 0, max: 6 }).map((n) => 2 * n)
const cast = {
  kind: fc.constant('cast' as const),
  text: fc.nat(2),
  parent: fc.nat(3),
  mentions: fc.uniqueArray(fc.nat(TARGETS - 1), { maxLength: 2 }),
}
const link = { type: fc.constantFrom(...LINK_TYPES), target: fc.nat(TARGETS - 1) }
const said = { author: fc.nat(AUTHORS - 1), at: moment }

export const arbitraryDraft: fc.Arbitrary<Draft> = fc.oneof(
  fc.record({ ...said, ...cast }),
  fc.record({ ...said, kind: fc.constant('uncast'), cast: fc.record({ ...cast, at: moment }) }),
  fc.record({
    ...said,
    kind: fc.constantFrom('react', 'unreact'),
    type: fc.constantFrom(1, 2),
    target: fc.nat(TARGETS - 1),
  }),
  fc.record({ ...said, kind: fc.constantFrom('link', 'unlink'), ...link }),
  fc.record({
    ...said,
    kind: fc.constant('profile'),
    type: fc.constantFrom(...PROFILE_TYPES),
    value: fc.nat(2),
  }),
  fc.record({
    ...said,
    kind: fc.constantFrom('verify', 'unverify'),
    address: fc.nat(ADDRESSES - 1),
  }),
  fc.record({ ...said, kind: fc.constant('prove'), name: fc.nat(1) }),
) as fc.Arbitrary<Draft>

/** Moments at which an author sums up links of one type; never the second of a link. */
export const arbitraryCompactions = fc.uniqueArray(
  fc.record({
    author: fc.nat(AUTHORS - 1),
    at: fc.nat(6).map((n) => 2 * n + 1),
    type: fc.constantFrom(...LINK_TYPES),
  }),
  { maxLength: 3, selector: ({ author, at, type }) => `${author} ${at} ${type}` },
)

/** The compact state an author tells who knows all own links: what is linked at that moment. */
export function honestCompactState(
  drafts: readonly Draft[],
  { author, at, type }: { author: number; at: number; type: string },
): Draft {
  const targets = Array.from({ length: TARGETS }, (_, target) => target).filter((target) => {
    const about = drafts.filter(
      (draft) =>
        (draft.kind === 'link' || draft.kind === 'unlink') &&
        draft.author === author &&
        draft.type === type &&
        draft.target === target &&
        draft.at < at,
    )
    const last = Math.max(...about.map((draft) => draft.at))
    const latest = about.filter((draft) => draft.at === last)
    return latest.length > 0 && latest.every(({ kind }) => kind === 'link')
  })
  return { kind: 'compact', author, at, type, targets }
}

/** Makes signed messages of drafts, of the accounts that stand for the authors. */
export class Scene {
  readonly accounts: readonly TestAccount[]
  readonly #start: number

  /** `start` in network seconds: moment 0. */
  constructor(accounts: readonly TestAccount[], start: number) {
    this.accounts = accounts
    this.#start = start
  }

  message(draft: Draft): SignedMessage {
    const account = this.accounts[draft.author]!
    return buildMessage(this.#init(draft, this.origin(draft)), account.seed)
  }

  /** The message, of which every name resolves to its author. */
  candidate(draft: Draft): Candidate {
    return Candidate.of(this.message(draft), this.accounts[draft.author]!.custody)
  }

  castId(target: number) {
    return { fid: this.fid(0), hash: Buffer.alloc(20, target) }
  }

  url(target: number) {
    return `https://example.com/${this.fid(target)}`
  }

  fid(target: number): number {
    return this.accounts[0]!.fid + target
  }

  address(address: number): Uint8Array {
    return Buffer.concat([Buffer.alloc(16, address), fidBytes(this.fid(0))])
  }

  name(name: number): string {
    return `n${name}f${this.fid(0)}.eth`
  }

  origin({ author, at }: Pick<Draft, 'author' | 'at'>): Origin {
    return { fid: this.accounts[author]!.fid, timestamp: this.#start + at, network: DEVNET }
  }

  #init(draft: Draft, origin: Origin): DataInit {
    switch (draft.kind) {
      case 'cast':
        return this.#cast(draft, origin)
      case 'uncast': {
        const target = { ...draft.cast, author: draft.author }
        return castRemove(origin, this.message(target).hash)
      }
      case 'react':
        return reactionAdd(origin, draft.type, this.#reactionTarget(draft.target))
      case 'unreact':
        return reactionRemove(origin, draft.type, this.#reactionTarget(draft.target))
      case 'link':
        return linkAdd(origin, draft.type, this.fid(draft.target))
      case 'unlink':
        return linkRemove(origin, draft.type, this.fid(draft.target))
      case 'compact':
        return linkCompactState(
          origin,
          draft.type,
          draft.targets.map((target) => this.fid(target)),
        )
      case 'profile':
        return userDataAdd(origin, draft.type, `value ${draft.value}`)
      case 'verify':
        return verificationAddEth(origin, {
          address: this.address(draft.address),
          blockHash: Buffer.alloc(32, draft.at),
          claimSignature: Buffer.alloc(65, 1),
        })
      case 'unverify':
        return verificationRemove(origin, this.address(draft.address))
      case 'prove':
        return usernameProof(origin, {
          name: this.name(draft.name),
          owner: this.accounts[draft.author]!.custody,
          signature: Buffer.alloc(65, 1),
          type: UserNameType.USERNAME_TYPE_ENS_L1,
        })
    }
  }

  #cast({ text, parent, mentions }: Cast, origin: Origin): DataInit {
    return castAdd(origin, {
      text: `text ${text}`,
      mentions: mentions.map((target) => BigInt(this.fid(target))),
      mentionsPositions: mentions.map(() => 0),
      parent:
        parent === 0
          ? { case: undefined }
          : parent === 3
            ? { case: 'parentUrl', value: this.url(3) }
            : {
                case: 'parentCastId',
                value: { ...this.castId(parent), fid: BigInt(this.fid(0)) },
              },
    })
  }

  #reactionTarget(target: number) {
    return target === 3 ? { url: this.url(target) } : this.castId(target)
  }
}

const fidBytes = (fid: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(fid)
  return bytes
}

/** A message that the model says is stored. */
export type Kept = {
  readonly draft: Draft
  readonly hash: Uint8Array
  /** The hash of the cast it removes. */
  readonly removes: Uint8Array | undefined
}

/** Which store a draft's messages are counted in; compact states have one of their own. */
export const STORE_OF_KIND: Readonly<Record<Draft['kind'], string>> = {
  cast: 'casts',
  uncast: 'casts',
  react: 'reactions',
  unreact: 'reactions',
  link: 'links',
  unlink: 'links',
  compact: 'compact states',
  profile: 'profiles',
  verify: 'verifications',
  unverify: 'verifications',
  prove: 'proofs',
}

/**
 * What is stored of these messages, in any order of arrival; `limits` says how many messages an
 * author may have in a store.
 */
export function modelOf(
  messages: readonly Kept[],
  limits: Readonly<Record<string, number>>,
): Kept[] {
  const distinct = [...new Map(messages.map((one) => [toHex(one.hash), one])).values()]
  const uncompacted = distinct.filter((one) => !isCompacted(one, distinct))
  const winners = [...Map.groupBy(uncompacted, topicOf).values()].map((rivals) => strongest(rivals))
  const lists = Map.groupBy(winners, ({ draft }) => `${draft.author} ${STORE_OF_KIND[draft.kind]}`)
  return [...lists.values()].flatMap((list) => {
    const limit = limits[STORE_OF_KIND[list[0]!.draft.kind]] ?? Number.POSITIVE_INFINITY
    return list.toSorted(byTime).slice(-limit)
  })
}

export const isRemoval = (draft: Draft) => draft.kind.startsWith('un')

/** By time, then hash: the order of all lists. */
export const byTime = (a: Kept, b: Kept) =>
  a.draft.at - b.draft.at || Buffer.compare(a.hash, b.hash)

/** Messages about the same thing replace each other. */
function topicOf({ draft, hash, removes }: Kept): string {
  const { author } = draft
  switch (draft.kind) {
    case 'cast':
      return `cast ${toHex(hash)}`
    case 'uncast':
      return `cast ${toHex(removes!)}`
    case 'react':
    case 'unreact':
      return `react ${author} ${draft.type} ${draft.target}`
    case 'link':
    case 'unlink':
      return `link ${author} ${draft.type} ${draft.target}`
    case 'compact':
      return `compact ${author} ${draft.type}`
    case 'profile':
      return `profile ${author} ${draft.type}`
    case 'verify':
    case 'unverify':
      return `verify ${author} ${draft.address}`
    case 'prove':
      return `prove ${draft.name}`
  }
}

/** The messages of drafts, each with its draft. */
export function messagesOf(
  scene: Scene,
  drafts: readonly Draft[],
): (Kept & { message: SignedMessage })[] {
  return drafts.map((draft) => {
    const message = scene.message(draft)
    const removes =
      draft.kind === 'uncast'
        ? scene.message({ ...draft.cast, author: draft.author }).hash
        : undefined
    return { draft, message, hash: message.hash, removes }
  })
}

function strongest(rivals: readonly Kept[]): Kept {
  const removals = rivals.filter(({ draft }) => isRemoval(draft))
  if (removals[0]?.draft.kind === 'uncast') return removals.toSorted(byTime).at(-1)!
  const last = Math.max(...rivals.map(({ draft }) => draft.at))
  const latest = rivals.filter(({ draft }) => draft.at === last)
  const latestRemovals = latest.filter(({ draft }) => isRemoval(draft))
  return (latestRemovals.length > 0 ? latestRemovals : latest).toSorted(byTime).at(-1)!
}

function isCompacted({ draft }: Kept, all: readonly Kept[]): boolean {
  if (draft.kind !== 'link' && draft.kind !== 'unlink') return false
  const states = all.flatMap((other) =>
    other.draft.kind === 'compact' &&
    other.draft.author === draft.author &&
    other.draft.type === draft.type
      ? [other.draft]
      : [],
  )
  const state = states.toSorted((a, b) => a.at - b.at).at(-1)
  if (!state || draft.at > state.at) return false
  return draft.kind === 'unlink' || !state.targets.includes(draft.target)
}
