import { setTimeout as delay } from 'node:timers/promises'
import type { LocalAccount } from 'viem'
import { Mutex } from '../../base/concurrency.ts'
import { fromHex } from '../../protocol/codec/bytes.ts'
import { decodeSignedKeyRequestMetadata } from '../../protocol/crypto/key-request-metadata.ts'
import { Rejection } from '../../protocol/rejection.ts'
import type { OnChainEvent } from '../../protocol/wire/onchain_event_pb.js'
import type {
  AccountCalls,
  CallName,
  CallResult,
  NewKey,
  NonceContract,
  Register,
} from '../port.ts'
import { MAX_KEYS_PER_CALL } from '../settings.ts'
import type { ChainContracts } from './contracts.ts'
import { callEncoder, type EncodedCall, encodeNonces, encodePrice } from './encode.ts'
import { receiptEvents } from './receipt.ts'
import { refusalOf, unlessSilent } from './refusals.ts'
import type { Rpc } from './rpc.ts'
import {
  countTransactions,
  estimateGas,
  findReceipt,
  presentFees,
  type Receipt,
  signTransaction,
} from './transactions.ts'

type Hex = `0x${string}`

type ChainCallsOptions = {
  readonly rpc: Rpc
  readonly chainId: number
  readonly contracts: ChainContracts
  /** Pays for the transactions. No other process may use this account. */
  readonly payer: LocalAccount
  /** Units granted with a new fid, as by the ledger; the contracts give at least one. */
  readonly signupUnits: number
}

const RECEIPT_POLL_MS = 20
const RECEIPT_TIMEOUT_MS = 60_000

/**
 * The account calls as transactions, each answered once it is in a block. For callers that wait: development
 * networks and tests. The relayer (accounts/relay) is for calls that must survive a crash.
 */
export function createChainCalls(options: ChainCallsOptions): AccountCalls {
  const { rpc, contracts, chainId, payer } = options
  const encode = callEncoder(contracts, options)
  /** One transaction at a time, because each takes the next nonce. */
  const sending = new Mutex()

  const send = async ({ to, data, bought }: EncodedCall) => {
    const value = bought === undefined ? 0n : await priceOf(rpc, to, bought)
    const gas = await estimateGas(rpc, { from: payer.address, to, data, value })
    const [nonce, fees] = await Promise.all([
      countTransactions(rpc, payer.address),
      presentFees(rpc),
    ])
    const signed = await signTransaction(payer, { chainId, nonce, to, data, value, gas, fees })
    const hash = (await rpc('eth_sendRawTransaction', [signed])) as Hex
    return { hash, receipt: await waitForReceipt(rpc, hash) }
  }

  const call =
    <C>(name: CallName, encodeCall: (call: C) => EncodedCall) =>
    async (args: C): Promise<CallResult> => {
      const encoded = encodeCall(args)
      const { hash, receipt } = await sending
        .run(() => send(encoded))
        .catch((error) => {
          throw refusalOf(name, error, args)
        })
      if (!receipt.succeeded) {
        // The call would have succeeded before; simulating it again gives the reason of the failure.
        const why = await rpc('eth_call', [encoded, 'latest']).catch((error) => error)
        throw refusalOf(name, why, args)
      }
      return resultOf(hash, receipt, await receiptEvents(rpc, receipt, options))
    }

  return {
    nonce: (contract, address) => readNonce(rpc, contracts, contract, address),
    registerFor: call('registerFor', encode.registerFor),
    transferFor: call('transferFor', encode.transferFor),
    transferAndChangeRecoveryFor: call(
      'transferAndChangeRecoveryFor',
      encode.transferAndChangeRecoveryFor,
    ),
    changeRecoveryAddressFor: call('changeRecoveryAddressFor', encode.changeRecoveryAddressFor),
    recoverFor: call('recoverFor', encode.recoverFor),
    addFor: call('addFor', (add) => {
      checkRequester(add)
      return encode.addFor(add)
    }),
    removeFor: call('removeFor', encode.removeFor),
    rent: call('rent', encode.rent),
    register: call('register', (register: Register) => {
      checkKeys(register)
      return encode.register(register)
    }),
  }
}

function checkKeys({ keys }: Register): void {
  if (keys.length > MAX_KEYS_PER_CALL) {
    const message = `at most ${MAX_KEYS_PER_CALL} keys can be added in one call`
    throw new Rejection('InvalidBatchInput', message, { field: 'keys' })
  }
  keys.forEach(checkRequester)
}

/** Reads the nonce from the latest block. */
export async function readNonce(
  rpc: Rpc,
  contracts: ChainContracts,
  contract: NonceContract,
  address: Uint8Array,
): Promise<number> {
  const call = { to: contracts[contract], data: encodeNonces(address) }
  const answer = await rpc('eth_call', [call, 'latest']).catch((error) => {
    throw unlessSilent(error)
  })
  return Number(answer)
}

/** The contract accepts fid 0 for a signer without a fid, which would be a key without a requesting app. */
export function checkRequester({ metadata }: NewKey): void {
  if (decodeSignedKeyRequestMetadata(metadata)?.requestFid === 0n) {
    throw new Rejection('InvalidMetadata', 'metadata names fid 0: no app requested the key', {
      field: 'metadata',
    })
  }
}

const priceOf = async (rpc: Rpc, to: Hex, bought: bigint): Promise<bigint> =>
  BigInt((await rpc('eth_call', [{ to, data: encodePrice(bought) }, 'latest'])) as Hex)

async function waitForReceipt(rpc: Rpc, hash: Hex): Promise<Receipt> {
  for (let waited = 0; waited < RECEIPT_TIMEOUT_MS; waited += RECEIPT_POLL_MS) {
    const receipt = await findReceipt(rpc, hash)
    if (receipt) return receipt
    await delay(RECEIPT_POLL_MS)
  }
  throw new Rejection('unavailable', `transaction ${hash} is in no block yet`)
}

function resultOf(hash: Hex, { blockNumber }: Receipt, events: OnChainEvent[]): CallResult {
  const { fid, blockTimestamp } = events[0]!
  return {
    fid: Number(fid),
    transactionHash: fromHex(hash)!,
    blockNumber,
    confirmed: false,
    confirmsAt: Number(blockTimestamp) * 1000,
    events,
  }
}
