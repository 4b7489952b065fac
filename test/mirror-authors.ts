// People who post at a scripted hub at random, and what is compared with it.

import assert from 'node:assert/strict'
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
  userDataAdd,
} from '../src/kernel/protocol/build.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import { networkTime } from '../src/kernel/protocol/time.ts'
import { UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import type { Storage } from '../src/kernel/storage/storage.ts'
import type { FakeHub } from './fake-hub/fake-hub.ts'
import { hashesOf } from './mirror-support.ts'
import type { Random } from './random.ts'
import { DEVNET, type TestAccount, WORLD_START_MS } from './world.ts'

const START = networkTime(WORLD_START_MS) - 100_000
export const FIDS = [1, 2, 3, 4, 5]

/** Everything that may be in a set, by the names of the scripted hub. */
const LISTS = {
  casts: 'casts',
  reactions: 'reactions',
  links: 'links',
  verifications: 'verifications',
  userData: 'userData',
  compactStates: 'linkCompactState',
} as const

/** Fails unless the sets of these fids are those of the source. */
export async function assertSame(
  storage: Storage,
  fake: FakeHub,
  fids: readonly number[],
): Promise<void> {
  const here = await hashesOf(storage, fids)
  for (const fid of fids) {
    const there = fake.hashes(fid)
    for (const [list, set] of Object.entries(LISTS)) {
      const found = (here[`${fid} ${set}`] ?? []).map((hash) => hash.slice(2)).sort()
      assert.deepEqual(found, there[list as keyof typeof LISTS], `${list} of fid ${fid}`)
    }
  }
}

/** A person who posts at a scripted hub, each second something. */
export class Author {
  readonly account: TestAccount
  static #at = START
  readonly #messages: SignedMessage[] = []

  constructor(account: TestAccount) {
    this.account = account
  }

  sign(make: (origin: Origin) => DataInit) {
    const { fid, seed: key } = this.account
    const message = buildMessage(make({ fid, timestamp: Author.#at++, network: DEVNET }), key)
    this.#messages.push(message)
    return message
  }

  next(random: Random) {
    const other = FIDS.filter((fid) => fid !== this.account.fid)
    const target = other[random.int(other.length)]!
    const hash = this.before(random)?.hash ?? new Uint8Array(20).fill(1)
    const makers: ((origin: Origin) => DataInit)[] = [
      (o) => castAdd(o, { text: `at ${o.timestamp}` }),
      (o) => castAdd(o, { text: `also at ${o.timestamp}` }),
      (o) => castRemove(o, hash),
      (o) => linkAdd(o, 'follow', target),
      (o) => linkRemove(o, 'follow', target),
      (o) => reactionAdd(o, 1, { fid: target, hash }),
      (o) => userDataAdd(o, UserDataType.USER_DATA_TYPE_BIO, `bio ${o.timestamp}`),
      (o) => linkCompactState(o, 'follow', other.slice(0, random.int(other.length) + 1)),
    ]
    return this.sign(makers[random.int(makers.length)]!)
  }

  /** One of the messages that it has signed, of the last ones when `among` is given. */
  before(random: Random, among = this.#messages.length): SignedMessage | undefined {
    return this.#messages.slice(-among)[random.int(Math.min(among, this.#messages.length))]
  }

  /** A message that has few slots to take: most replace another one. */
  rival(random: Random) {
    const target = 101 + random.int(3)
    const makers: ((origin: Origin) => DataInit)[] = [
      (o) => linkAdd(o, 'follow', target),
      (o) => linkAdd(o, 'follow', target),
      (o) => linkRemove(o, 'follow', target),
      (o) => userDataAdd(o, UserDataType.USER_DATA_TYPE_BIO, `bio ${o.timestamp}`),
      (o) => linkCompactState(o, 'follow', [target]),
    ]
    return this.sign(makers[random.int(makers.length)]!)
  }
}
