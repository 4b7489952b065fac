import { create } from '@bufbuild/protobuf'
import type { Ledger } from '../src/kernel/accounts/ledger.ts'
import { publicKeyOf } from '../src/kernel/protocol/crypto/ed25519.ts'
import { addressOfPrivateKey } from '../src/kernel/protocol/crypto/secp256k1.ts'
import {
  IdRegisterEventType,
  type OnChainEvent,
  OnChainEventSchema,
  OnChainEventType,
  SignerEventType,
} from '../src/kernel/protocol/wire/onchain_event_pb.js'

type BenchAccount = { readonly fid: number; readonly seed: Uint8Array }

/** Room for 250,000 casts and 500,000 links. */
const UNITS = 2_500
const ACCOUNTS_PER_CALL = 300

/** A deterministic account. Its seed is also its custody key. */
export function benchAccount(fid: number): BenchAccount {
  const seed = Buffer.alloc(32)
  seed.writeUInt32BE(fid)
  return { fid, seed }
}

export async function importAccounts(ledger: Ledger, accounts: BenchAccount[]): Promise<void> {
  for (let at = 0; at < accounts.length; at += ACCOUNTS_PER_CALL) {
    await ledger.importEvents(accounts.slice(at, at + ACCOUNTS_PER_CALL).flatMap(accountEvents))
  }
}

/** Registration, key and storage of an account, as a chain would report them in one block. */
export function accountEvents({ fid, seed }: BenchAccount): OnChainEvent[] {
  const address = addressOfPrivateKey(seed)
  const blockTimestamp = BigInt(Math.floor(Date.now() / 1000))
  const common = {
    chainId: 10,
    blockNumber: 1,
    blockHash: new Uint8Array(32),
    transactionHash: new Uint8Array(32),
    blockTimestamp,
    fid: BigInt(fid),
  }
  const type = OnChainEventType
  const rent = { payer: address, units: UNITS }
  return [
    create(OnChainEventSchema, {
      ...common,
      type: type.EVENT_TYPE_ID_REGISTER,
      body: {
        case: 'idRegisterEventBody',
        value: { to: address, eventType: IdRegisterEventType.REGISTER },
      },
    }),
    create(OnChainEventSchema, {
      ...common,
      type: type.EVENT_TYPE_SIGNER,
      logIndex: 1,
      body: {
        case: 'signerEventBody',
        value: {
          key: publicKeyOf(seed),
          keyType: 1,
          eventType: SignerEventType.ADD,
          metadataType: 1,
        },
      },
    }),
    create(OnChainEventSchema, {
      ...common,
      type: type.EVENT_TYPE_STORAGE_RENT,
      logIndex: 2,
      body: { case: 'storageRentEventBody', value: rent },
    }),
  ]
}
