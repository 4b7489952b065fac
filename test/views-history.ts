// Random histories of a small network: everything that adds to the views or takes something back.

import {
  castAdd,
  castRemove,
  linkAdd,
  linkCompactState,
  linkRemove,
  reactionAdd,
  reactionRemove,
  userDataAdd,
} from '../src/kernel/protocol/build.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import { networkTime } from '../src/kernel/protocol/time.ts'
import { UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import type { Random } from './random.ts'
import type { TestAccount, World } from './world.ts'

const TEXTS = ['gm', 'Crème brûlée 日本語', '👍🏽 go 🇩🇪', 'hello world', 'a b c', 'ไทย']
const URLS = ['https://example.org/channel/one', 'chain://eip155:1/erc721:0x01', 'https://x.test/']

type CastId = { readonly fid: number; readonly hash: Uint8Array }

export class History {
  readonly #world: World
  readonly #accounts: readonly TestAccount[]
  readonly #random: Random
  readonly #casts: CastId[] = []
  /** Casts that others may reply to before they are submitted. */
  readonly #unsent: SignedMessage[] = []
  #texts = 0

  constructor(world: World, accounts: readonly TestAccount[], random: Random) {
    this.#world = world
    this.#accounts = accounts
    this.#random = random
  }

  /** The next messages, which may be refused like any others. */
  batch(size: number): SignedMessage[] {
    return Array.from({ length: size }, () => this.#message())
  }

  /** More casts of one account than its storage holds. */
  burst(account: TestAccount, count: number): SignedMessage[] {
    return Array.from({ length: count }, () =>
      this.#world.sign(account, castAdd(this.#origin(account), this.#text())),
    )
  }

  castIds(): readonly CastId[] {
    return this.#casts
  }

  #origin(account: TestAccount) {
    const now = networkTime(this.#world.clock.now())
    // Few different seconds, so that many things happen in the same one.
    return this.#world.origin(account, now - this.#random.int(20) * 3)
  }

  #text(): string {
    return `${this.#random.pick(TEXTS)} ${this.#texts++}`
  }

  #cast(account: TestAccount): SignedMessage {
    const random = this.#random
    const some = () => random.pick(this.#casts)
    const hasCasts = this.#casts.length > 0
    const parent =
      hasCasts && random.int(3) > 0
        ? ({ case: 'parentCastId', value: idOf(some()) } as const)
        : random.int(2) === 0
          ? ({ case: 'parentUrl', value: random.pick(URLS) } as const)
          : ({ case: undefined } as const)
    const mentions = random.int(3) === 0 ? [1 + random.int(this.#accounts.length + 2)] : []
    const embeds = [
      ...(hasCasts && random.int(3) === 0
        ? [{ embed: { case: 'castId', value: idOf(some()) } as const }]
        : []),
      ...(random.int(4) === 0
        ? [{ embed: { case: 'url', value: random.pick(URLS) } as const }]
        : []),
    ]
    const message = this.#world.sign(
      account,
      castAdd(this.#origin(account), {
        text: this.#text(),
        mentions: mentions.map(BigInt),
        mentionsPositions: mentions.map(() => 0),
        embeds,
        parent,
      }),
    )
    this.#casts.push({ fid: account.fid, hash: message.hash })
    return message
  }

  #message(): SignedMessage {
    const random = this.#random
    const account = random.pick(this.#accounts)
    const origin = this.#origin(account)
    const sign = (init: Parameters<World['sign']>[1]) => this.#world.sign(account, init)
    const target = this.#casts.length > 0 ? random.pick(this.#casts) : undefined
    const other = () => 1 + random.int(this.#accounts.length + 2)
    const choice = random.int(20)
    if (choice < 5 || !target) {
      const message = this.#cast(account)
      if (random.int(4) > 0) return message
      // Others reply to it first.
      this.#unsent.push(message)
      return this.#cast(random.pick(this.#accounts))
    }
    if (choice < 7 && this.#unsent.length > 0) {
      return this.#unsent.splice(random.int(this.#unsent.length), 1)[0]!
    }
    if (choice < 9) {
      const own = this.#casts.filter(({ fid }) => fid === account.fid)
      if (own.length > 0) return sign(castRemove(origin, random.pick(own).hash))
    }
    if (choice < 13) return sign(reactionAdd(origin, 1 + random.int(2), target))
    if (choice < 14) return sign(reactionRemove(origin, 1 + random.int(2), target))
    if (choice < 16) return sign(linkAdd(origin, 'follow', other()))
    if (choice < 17) return sign(linkRemove(origin, 'follow', other()))
    if (choice < 18) {
      const listed = this.#accounts.map(({ fid }) => fid).filter(() => random.int(2) === 0)
      return sign(linkCompactState(origin, random.int(4) > 0 ? 'follow' : 'block', listed))
    }
    const types = [
      UserDataType.USER_DATA_TYPE_DISPLAY,
      UserDataType.USER_DATA_TYPE_BIO,
      UserDataType.USER_DATA_TYPE_PFP,
    ]
    return sign(userDataAdd(origin, random.pick(types), random.pick(TEXTS)))
  }
}

const idOf = ({ fid, hash }: CastId) => ({ fid: BigInt(fid), hash })
