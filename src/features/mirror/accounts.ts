import { checkImport, MAX_IMPORT_EVENTS } from '../../kernel/accounts/import.ts'
import { mergeNameTransfers, type NameTransfer } from '../../kernel/hub/names.ts'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import { DEPLOYED_CHAIN_ID } from '../../kernel/protocol/crypto/account-domains.ts'
import {
  recoverTypedDataSigner,
  usernameProofTypedData,
} from '../../kernel/protocol/crypto/eip712.ts'
import { Network, type UserNameProof, UserNameType } from '../../kernel/protocol/wire/message_pb.js'
import { type OnChainEvent, OnChainEventType } from '../../kernel/protocol/wire/onchain_event_pb.js'
import { type MirrorContext, writeAsLeader } from './context.ts'

/** The registry of the deployed network. */
const DEPLOYED_REGISTRY = '0xbc5274efc266311015793d89e9b591fa46294741'

type Context = Pick<
  MirrorContext,
  'storage' | 'clock' | 'lease' | 'mergeAccounts' | 'takesNames' | 'chainId' | 'kind' | 'network'
>

/** Merges what a source says of accounts and names of its registry, where this server believes it. */
export class SourceAccounts {
  readonly #context: Context
  #problem: string | undefined

  constructor(context: Context) {
    this.#context = context
  }

  /** What the settings have wrong about the accounts of the source. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Merges on-chain events of one fid, in any order; known ones change nothing. */
  async merge(fid: number, events: readonly OnChainEvent[]): Promise<void> {
    const { mergeAccounts, chainId, kind } = this.#context
    if (!mergeAccounts) return
    if (events.some((event) => event.fid !== BigInt(fid))) {
      throw new Error(`the source lists events of other accounts as those of fid ${fid}`)
    }
    this.#checkChain(events)
    for (let at = 0; at < events.length; at += MAX_IMPORT_EVENTS) {
      const some = events.slice(at, at + MAX_IMPORT_EVENTS)
      checkImport(some, { chainId })
      // Deployed hubs have always made a key active again after a reset; a ledger does what its contracts do.
      await writeAsLeader(this.#context, (tx, log) =>
        mergeAccounts(tx, log, some, { resetActivates: kind !== 'rookery' }),
      )
    }
  }

  /** Every comparison fails while this server expects the accounts of another ledger, so it is told as one problem. */
  #checkChain(events: readonly OnChainEvent[]): void {
    const { chainId } = this.#context
    const registered = events.find(({ type }) => type === OnChainEventType.EVENT_TYPE_ID_REGISTER)
    if (!registered) return
    const found = registered.chainId
    const isKnown = found === chainId || found === DEPLOYED_CHAIN_ID
    this.#problem = isKnown
      ? undefined
      : `the accounts of the source are of chain ${found}, and this server expects chain ${chainId}: ` +
        `set ROOKERY_LEDGER_CHAIN_ID=${found} and start again`
    if (this.#problem !== undefined) throw new Error(this.#problem)
  }

  /** Merges proofs of the name registry. Those of names that are messages come as messages. */
  async mergeNames(proofs: readonly UserNameProof[]): Promise<void> {
    const { takesNames, network } = this.#context
    const transfers = believedTransfers(proofs, network)
    if (!takesNames || transfers.length === 0) return
    await writeAsLeader(this.#context, (tx, log) => mergeNameTransfers(tx, log, transfers))
  }
}

/** Those of the name registry: on mainnet the deployed one has signed them. */
export const believedTransfers = (
  proofs: readonly UserNameProof[],
  network: number,
): NameTransfer[] =>
  proofs
    .filter(({ type }) => type === UserNameType.USERNAME_TYPE_FNAME)
    .filter((proof) => network !== Network.MAINNET || isOfRegistry(proof))
    .map(transferOf)

function isOfRegistry({ name, timestamp, owner, signature }: UserNameProof): boolean {
  const claim = usernameProofTypedData({
    name: Buffer.from(name).toString(),
    timestamp: Number(timestamp),
    owner,
  })
  const signer = recoverTypedDataSigner(claim, signature)
  return signer !== undefined && toHex(signer) === DEPLOYED_REGISTRY
}

const transferOf = (proof: UserNameProof): NameTransfer => ({
  id: 0,
  timestamp: Number(proof.timestamp),
  username: Buffer.from(proof.name).toString(),
  owner: proof.owner,
  from: 0,
  to: Number(proof.fid),
  serverSignature: proof.signature,
})
