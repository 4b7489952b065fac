import { encodeFunctionData } from 'viem/utils'
import { toHex } from '../../protocol/codec/bytes.ts'
import type {
  AddFor,
  ChangeRecoveryAddressFor,
  NewKey,
  RecoverFor,
  Register,
  RegisterFor,
  RemoveFor,
  RentStorage,
  TransferAndChangeRecoveryFor,
  TransferFor,
} from '../port.ts'
import { CALLS_ABI } from './abi.ts'
import type { ChainContracts } from './contracts.ts'

type Hex = `0x${string}`

/** Recipient and calldata of a transaction. */
export type EncodedCall = {
  readonly to: Hex
  readonly data: Hex
  /** Storage units that the call buys; the contract says their price. */
  readonly bought?: bigint
}

/**
 * Encodes each call for the contracts. A new fid gets `signupUnits`, the first of which the contracts grant.
 */
export function callEncoder(at: ChainContracts, { signupUnits }: { signupUnits: number }) {
  const extraOf = ({ extraStorage }: RegisterFor) =>
    BigInt(Math.max(0, signupUnits + extraStorage - 1))
  return {
    registerFor: (call: RegisterFor): EncodedCall => {
      const extra = extraOf(call)
      const { to, recovery, deadline, signature } = call
      const args = [hex(to), hex(recovery), deadline, hex(signature), extra] as const
      return { ...encoded(at.idGateway, 'registerFor', args), bought: extra }
    },
    register: (call: Register): EncodedCall => {
      const extra = extraOf(call)
      const { to, recovery, deadline, signature, keys } = call
      const registration = { to: hex(to), recovery: hex(recovery), deadline, sig: hex(signature) }
      const args = [registration, keys.map(signerOf), extra] as const
      return { ...encoded(at.bundler, 'register', args), bought: extra }
    },
    transferFor: (call: TransferFor): EncodedCall =>
      encoded(at.idRegistry, 'transferFor', [hex(call.from), hex(call.to), ...sidesOf(call)]),
    transferAndChangeRecoveryFor: (call: TransferAndChangeRecoveryFor): EncodedCall => {
      const args = [hex(call.from), hex(call.to), hex(call.recovery), ...sidesOf(call)] as const
      return encoded(at.idRegistry, 'transferAndChangeRecoveryFor', args)
    },
    changeRecoveryAddressFor: (call: ChangeRecoveryAddressFor): EncodedCall => {
      const { owner, recovery, deadline, signature } = call
      const args = [hex(owner), hex(recovery), deadline, hex(signature)] as const
      return encoded(at.idRegistry, 'changeRecoveryAddressFor', args)
    },
    recoverFor: (call: RecoverFor): EncodedCall => {
      const { from, to, recoveryDeadline, recoverySignature, toDeadline, toSignature } = call
      const recovery = [recoveryDeadline, hex(recoverySignature)] as const
      const args = [hex(from), hex(to), ...recovery, toDeadline, hex(toSignature)] as const
      return encoded(at.idRegistry, 'recoverFor', args)
    },
    addFor: (call: AddFor): EncodedCall => {
      const { keyType, key, metadataType, metadata, deadline, sig } = signerOf(call)
      const args = [hex(call.owner), keyType, key, metadataType, metadata, deadline, sig] as const
      return encoded(at.keyGateway, 'addFor', args)
    },
    removeFor: ({ owner, key, deadline, signature }: RemoveFor): EncodedCall =>
      encoded(at.keyRegistry, 'removeFor', [hex(owner), hex(key), deadline, hex(signature)]),
    rent: ({ fid, units }: RentStorage): EncodedCall => ({
      ...encoded(at.storageRegistry, 'rent', [BigInt(fid), BigInt(units)]),
      bought: BigInt(units),
    }),
  }
}

export const encodeNonces = (address: Uint8Array): Hex =>
  encodeFunctionData({ abi: CALLS_ABI, functionName: 'nonces', args: [hex(address)] })

export const encodePrice = (bought: bigint): Hex =>
  encodeFunctionData({ abi: CALLS_ABI, functionName: 'price', args: [bought] })

const signerOf = ({ keyType, key, metadataType, metadata, deadline, signature }: NewKey) => ({
  keyType,
  key: hex(key),
  metadataType,
  metadata: hex(metadata),
  deadline,
  sig: hex(signature),
})

const sidesOf = ({ fromDeadline, fromSignature, toDeadline, toSignature }: TransferFor) =>
  [fromDeadline, hex(fromSignature), toDeadline, hex(toSignature)] as const

/** The types of the encoder follow from the ABI; a wrong argument throws before anything is sent. */
function encoded(to: Hex, functionName: string, args: readonly unknown[]): EncodedCall {
  return { to, data: encodeFunctionData({ abi: CALLS_ABI, functionName, args } as never) }
}

const hex = (bytes: Uint8Array) => (toHex(bytes) || '0x') as Hex
