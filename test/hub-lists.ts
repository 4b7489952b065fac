// Every list the hub serves, with what it must hold: worked out from what was submitted, not from a store.

import {
  castAdd,
  type DataInit,
  linkAdd,
  reactionAdd,
  userDataAdd,
  verificationAddEth,
} from '../src/kernel/protocol/build.ts'
import { signEthClaim } from '../src/kernel/protocol/crypto/eip712.ts'
import { addressOfPrivateKey } from '../src/kernel/protocol/crypto/secp256k1.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import { MessageType, ReactionType } from '../src/kernel/protocol/wire/message_pb.js'
import { type OnChainEvent, SignerEventType } from '../src/kernel/protocol/wire/onchain_event_pb.js'
import { bytes, hex, keyEvent, type Params } from './hub-support.ts'
import { type TestAccount, testAccount, type World } from './world.ts'

const { LIKE, RECAST } = ReactionType
/** Neighbours in every byte of a fid's key. */
export const FIDS = [1, 2, 255, 256, 257, 65_535, 65_536, 16_777_216, 2 ** 32 - 1]
const CAST = { fid: 256, hash: bytes(20, 9) }
const URL_PARENT = 'https://a.example/b'
/** Three messages a second. */
const SECONDS = [100, 100, 100, 101, 101, 101, 102]

export type List = {
  readonly path: string
  readonly params: Params
  readonly key?: string
  /** What identifies an item, in the order it must come. */
  readonly expected: readonly string[]
  readonly idOf?: (item: never) => string
}

export function initsOf(author: TestAccount, world: World): DataInit[] {
  return SECONDS.flatMap((second, i) => {
    const at = world.origin(author, second)
    return [
      castAdd(at, { text: `reply ${i}`, parent: parentCast(CAST) }),
      castAdd(at, { text: `on ${i}`, parent: { case: 'parentUrl', value: URL_PARENT } }),
      castAdd(at, { text: `below ${i}`, parent: { case: 'parentUrl', value: `${URL_PARENT}/c` } }),
      castAdd(at, { text: `@ ${i}`, mentions: [256n, 256n, 255n], mentionsPositions: [0, 0, 0] }),
      reactionAdd(at, LIKE, i < 3 ? CAST : { fid: 256, hash: bytes(20, i) }),
      reactionAdd(at, RECAST, i < 3 ? CAST : { url: i === 3 ? URL_PARENT : `u${i}` }),
      reactionAdd(at, LIKE, { url: i < 4 ? URL_PARENT : `v${i}` }),
      linkAdd(at, 'follow', i < 5 ? FIDS[i]! : 1000 + i),
      linkAdd(at, i % 2 ? 'follower' : 'f', i < 5 ? FIDS[i]! : 1000 + i),
      userDataAdd(at, [1, 2, 3, 5, 8, 9, 14][i]!, 'x'),
      claimOf(at, i),
    ]
  })
}

export const parentCast = ({ fid, hash }: typeof CAST) =>
  ({ case: 'parentCastId', value: { fid: BigInt(fid), hash } }) as const

/** A verification of an address whose key is made from `i`. */
export function claimOf(at: ReturnType<World['origin']>, i: number): DataInit {
  const key = bytes(32, 30 + i)
  const claim = { address: addressOfPrivateKey(key), blockHash: bytes(32, i) }
  return verificationAddEth(at, { ...claim, claimSignature: signEthClaim(at, claim, key) })
}

/** The slot of these messages is their type and target: the later of one author stays. */
export function survivors(messages: readonly SignedMessage[]): SignedMessage[] {
  const bySlot = new Map<string, SignedMessage>()
  for (const message of [...messages].sort(inOrder)) {
    const { body } = message.data
    const value = JSON.stringify(body, (_, one) => (typeof one === 'bigint' ? String(one) : one))
    const slot = body.case === 'castAddBody' ? hex(message.hash) : value
    bySlot.set(`${message.fid} ${slot}`, message)
  }
  return [...bySlot.values()]
}

function inOrder(a: SignedMessage, b: SignedMessage): number {
  return a.data.timestamp - b.data.timestamp || Buffer.compare(a.hash, b.hash) || a.fid - b.fid
}

/** Every list of messages there is, with what it must hold. */
export function messageLists(all: readonly SignedMessage[]): List[] {
  const of = (choose: (message: SignedMessage) => boolean) =>
    all
      .filter(choose)
      .sort(inOrder)
      .map(({ hash, fid }) => `${hex(hash)} ${fid}`)
  const typed = (fid: number, ...types: MessageType[]) =>
    of((m) => m.fid === fid && types.includes(m.data.type))
  // biome-ignore lint/suspicious/noExplicitAny: the model looks at bodies of every kind
  const bodyOf = (m: SignedMessage): any => m.data.body.value
  const target = (kind: string, is: (value: never) => boolean) => (m: SignedMessage) =>
    (bodyOf(m).target ?? bodyOf(m).parent)?.case === kind &&
    is((bodyOf(m).target ?? bodyOf(m).parent).value as never)
  const toCast = target('targetCastId', (v: { hash: Uint8Array }) => hex(v.hash) === hex(CAST.hash))
  const toUrl = target('targetUrl', (v: string) => v === URL_PARENT)
  const toFid = (fid: number) => target('targetFid', (v: bigint) => v === BigInt(fid))
  const cast = { target_fid: 256, target_hash: hex(CAST.hash) }
  const lists: List[] = FIDS.slice(2, 6).flatMap((fid) => [
    { path: 'castsByFid', params: { fid }, expected: typed(fid, MessageType.CAST_ADD) },
    { path: 'reactionsByFid', params: { fid }, expected: typed(fid, MessageType.REACTION_ADD) },
    { path: 'linksByFid', params: { fid }, expected: typed(fid, MessageType.LINK_ADD) },
  ])
  const fid = 256
  const parentUrl = target('parentUrl', (v: string) => v === URL_PARENT)
  const more: List[] = [
    {
      path: 'castsByParent',
      params: { fid, hash: hex(CAST.hash) },
      expected: of(target('parentCastId', () => true)),
    },
    { path: 'castsByParent', params: { url: URL_PARENT }, expected: of(parentUrl) },
    {
      path: 'castsByMention',
      params: { fid },
      expected: of((m) => bodyOf(m).mentions?.length > 0),
    },
    { path: 'castsByMention', params: { fid: 257 }, expected: [] },
    ...[undefined, LIKE, RECAST].flatMap((type) => {
      const is = (m: SignedMessage) => type === undefined || bodyOf(m).type === type
      const also = (choose: (m: SignedMessage) => boolean) => of((m) => is(m) && choose(m))
      const params = { reaction_type: type }
      const isReaction = (m: SignedMessage) => m.data.type === MessageType.REACTION_ADD
      return [
        { path: 'reactionsByCast', params: { ...params, ...cast }, expected: also(toCast) },
        {
          path: 'reactionsByTarget',
          params: { ...params, url: URL_PARENT },
          expected: also(toUrl),
        },
        {
          path: 'reactionsByFid',
          params: { ...params, fid },
          expected: also((m) => m.fid === fid && isReaction(m)),
        },
      ]
    }),
    ...[undefined, 'f', 'follow', 'follower', 'no'].flatMap((type) => {
      const is = (m: SignedMessage) => type === undefined || bodyOf(m).type === type
      const isLink = (m: SignedMessage) => m.data.type === MessageType.LINK_ADD
      return [
        {
          path: 'linksByTargetFid',
          params: { target_fid: 255, link_type: type },
          expected: of((m) => is(m) && toFid(255)(m)),
        },
        {
          path: 'linksByFid',
          params: { fid, link_type: type },
          expected: of((m) => m.fid === fid && isLink(m) && is(m)),
        },
      ]
    }),
    { path: 'userDataByFid', params: { fid }, expected: typed(fid, MessageType.USER_DATA_ADD) },
    {
      path: 'verificationsByFid',
      params: { fid },
      expected: typed(fid, MessageType.VERIFICATION_ADD_ETH_ADDRESS),
    },
  ]
  return [...lists, ...more]
}

export const idOfMessage = (message: { hash: string; data: { fid: number } }) =>
  `${message.hash} ${message.data.fid}`

/** Keys beside the first: their order is that of their bytes, not that of their events. */
const KEYS = [7, 3, 200, 5, 90].map((fill) => bytes(32, fill))

export function keyEvents(fid: number): OnChainEvent[] {
  return KEYS.map((key, i) =>
    keyEvent({ fid, key }, SignerEventType.ADD, { blockNumber: 2 + (i >> 1), logIndex: i }),
  )
}

type KeyEvent = { blockNumber: number; logIndex: number; signerEventBody: { key: string } }

export function accountLists(): List[] {
  const fid = 256
  const keys = [testAccount(fid).key, ...KEYS]
  return [
    { path: 'fids', params: {}, key: 'fids', idOf: String, expected: FIDS.map(String) },
    {
      path: 'onChainSignersByFid',
      params: { fid },
      key: 'events',
      idOf: (event: KeyEvent) => event.signerEventBody.key,
      expected: keys.map(hex).sort(),
    },
    {
      path: 'onChainEventsByFid',
      params: { fid, event_type: 'EVENT_TYPE_SIGNER' },
      key: 'events',
      idOf: (event: KeyEvent) => `${event.blockNumber} ${event.logIndex}`,
      expected: ['1 1', '2 0', '2 1', '3 2', '3 3', '4 4'],
    },
    {
      path: 'onChainEventsByFid',
      params: { fid: 257, event_type: 3 },
      key: 'events',
      idOf: (event: KeyEvent) => `${event.blockNumber} ${event.logIndex}`,
      expected: ['1 0'],
    },
  ]
}
