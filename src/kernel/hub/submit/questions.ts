import type { TypedDataDomain } from '../../protocol/crypto/account-domains.ts'
import { Rejection } from '../../protocol/rejection.ts'
import type {
  MessageData,
  UserNameProof,
  VerificationAddAddressBody,
} from '../../protocol/wire/message_pb.js'
import type { Storage } from '../../storage/storage.ts'
import { NameFeedError, type NameFollower } from '../jobs/name-follower.ts'
import { questionOf } from '../kinds/kinds.ts'
import { claimedName } from '../kinds/user-data.ts'
import { MAX_OUTSIDE_QUESTIONS, OVERLOAD_RETRY_SECONDS } from '../settings.ts'
import type { Ethereum } from './ethereum.ts'
import type { Question } from './examination.ts'
import { findKeySigners } from './key-signatures.ts'
import { receiveRejection } from './posted-rejection.ts'
import type { ProSubscriptions } from './pro-subscriptions.ts'

type QuestionsOptions = {
  readonly storage: Pick<Storage, 'nameProofs'>
  readonly subscriptions: ProSubscriptions
  readonly ethereum: Ethereum
  /** What custody addresses sign gasless keys for. */
  readonly keyDomain: () => TypedDataDomain
  readonly names: Pick<NameFollower, 'catchUp'>
  readonly onError: (error: unknown, what: string) => void
}

type Asking = Pick<MessageData, 'type' | 'fid' | 'timestamp' | 'network' | 'body'>

/** Answers the questions of messages from the store, a chain or the name registry. */
export class Questions {
  readonly #options: QuestionsOptions
  #asking = 0

  constructor(options: QuestionsOptions) {
    this.#options = options
  }

  /** Throws the Rejection of a message that only pro subscribers may send, when its author is none. */
  async checkPro(fid: number, { withoutPro }: Question): Promise<void> {
    if (!withoutPro || (await this.#options.subscriptions.isActive(fid))) return
    throw receiveRejection(withoutPro)
  }

  /**
   * Finds out what the store does not know. Returns the 20-byte address that the name of a name proof resolves to now, or the
   * signers of a message about a gasless key (encodeKeySigners); nothing for other messages. Throws a Rejection when the
   * answer refuses the message, when there is none, or when more than MAX_OUTSIDE_QUESTIONS wait.
   */
  async askOutside(asking: Asking): Promise<Uint8Array | undefined> {
    if (this.#asking >= MAX_OUTSIDE_QUESTIONS) {
      const text = 'too many messages wait for a chain or a registry'
      const hints = { retryAfterSeconds: OVERLOAD_RETRY_SECONDS }
      throw new Rejection('unavailable.overloaded', text, hints)
    }
    this.#asking++
    try {
      return await this.#ask(asking)
    } finally {
      this.#asking--
    }
  }

  async #ask(asking: Asking): Promise<Uint8Array | undefined> {
    const { ethereum, keyDomain } = this.#options
    const { body } = asking
    switch (questionOf(asking)) {
      case 'keySigners':
        return findKeySigners(asking, keyDomain())
      case 'nameOnChain':
        return ethereum.resolveName(Buffer.from((body.value as UserNameProof).name).toString())
      case 'contractClaim':
        return this.#checkContractClaim(asking)
      case 'registry':
        return this.#learnName(Number(asking.fid), claimedName(body, 'registry')!)
    }
  }

  async #checkContractClaim({ fid, network, body }: Asking): Promise<undefined> {
    const claim = body.value as VerificationAddAddressBody
    if (await this.#options.ethereum.verifyContractClaim(Number(fid), network, claim)) return
    throw new Rejection('bad_request.validation_failure', 'invalid claimSignature', {
      field: 'verificationAddAddressBody.claimSignature',
    })
  }

  /** A name may have just been registered, so the name feed is read before a username is refused. */
  async #learnName(fid: number, name: string): Promise<undefined> {
    const { storage, names, onError } = this.#options
    const proof = await storage.nameProofs.byName(Buffer.from(name))
    if (proof?.fid === fid) return
    await names.catchUp().catch((error) => {
      if (!(error instanceof NameFeedError)) onError(error, 'name feed')
      const text = 'the name registry cannot be asked now; try again'
      throw new Rejection('unavailable.network_failure', text)
    })
  }
}
