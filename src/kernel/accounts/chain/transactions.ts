import type { LocalAccount } from 'viem'
import { toQuantity } from './answers.ts'
import type { Rpc } from './rpc.ts'

// Transactions of one account: fees, signing and receipts.

type Hex = `0x${string}`

/** Wei per unit of gas: the maximum fee, and the tip within it. */
export type Fees = { readonly maxFee: bigint; readonly tip: bigint }

export type Transaction = {
  readonly chainId: number
  readonly nonce: number
  readonly to: Hex
  readonly data: Hex
  readonly value: bigint
  readonly gas: bigint
  readonly fees: Fees
}

export type Receipt = {
  readonly succeeded: boolean
  readonly blockNumber: number
  /** As the node gave them. */
  readonly logs: readonly unknown[]
}

/** The gas a call needs may change until it is in a block. */
const GAS_MARGIN_PERCENT = 25n

/** A fair fee: twice the present base fee, so that some full blocks do not exclude the transaction. */
export async function presentFees(rpc: Rpc): Promise<Fees> {
  const [block, tip] = await Promise.all([
    rpc('eth_getBlockByNumber', ['latest', false]),
    rpc('eth_maxPriorityFeePerGas'),
  ])
  const { baseFeePerGas } = block as { baseFeePerGas: Hex }
  return { maxFee: 2n * BigInt(baseFeePerGas) + BigInt(tip as Hex), tip: BigInt(tip as Hex) }
}

/** Throws the revert that the call would cause. */
export async function estimateGas(
  rpc: Rpc,
  call: { from: Hex; to: Hex; data: Hex; value: bigint },
): Promise<bigint> {
  const estimate = await rpc('eth_estimateGas', [{ ...call, value: toQuantity(call.value) }])
  return (BigInt(estimate as Hex) * (100n + GAS_MARGIN_PERCENT)) / 100n
}

/** The number of mined transactions, which is the next nonce when none is pending. */
export const countTransactions = async (rpc: Rpc, address: Hex): Promise<number> =>
  Number(await rpc('eth_getTransactionCount', [address, 'latest']))

export function signTransaction(account: LocalAccount, transaction: Transaction): Promise<Hex> {
  const { fees, ...rest } = transaction
  const { maxFee: maxFeePerGas, tip: maxPriorityFeePerGas } = fees
  return account.signTransaction({ ...rest, type: 'eip1559', maxFeePerGas, maxPriorityFeePerGas })
}

/** Undefined while the transaction is in no block. */
export async function findReceipt(rpc: Rpc, hash: Hex): Promise<Receipt | undefined> {
  const receipt = (await rpc('eth_getTransactionReceipt', [hash])) as {
    status: Hex
    blockNumber: Hex
    logs: unknown[]
  } | null
  if (!receipt) return undefined
  const { status, blockNumber, logs } = receipt
  return { succeeded: Number(status) === 1, blockNumber: Number(blockNumber), logs }
}
