import { toHex } from '../../protocol/codec/bytes.ts'
import type { AccountDomains } from '../../protocol/crypto/account-domains.ts'
import {
  ADD_KEY_TYPES,
  CHANGE_RECOVERY_ADDRESS_TYPES,
  REGISTER_TYPES,
  REMOVE_KEY_TYPES,
  TRANSFER_AND_CHANGE_RECOVERY_TYPES,
  TRANSFER_TYPES,
  type TypedData,
} from '../../protocol/crypto/eip712.ts'

// The typed data of each call, for signers and for the ledger that verifies. The fields of a message are those of
// its EIP-712 struct, which is the only list of them.

type Values = {
  readonly address: Uint8Array
  readonly bytes: Uint8Array
  readonly uint8: number
  readonly uint32: number
  readonly uint256: number | bigint
}
type Field = { readonly name: string; readonly type: keyof Values }
type Message<F extends Field> = { readonly [One in F as One['name']]: Values[One['type']] }

export const registerTypedData = typedDataOf('idGateway', REGISTER_TYPES)
/** Signed by both sides of a transfer; in a recovery by the recovery address and the receiver. */
export const transferTypedData = typedDataOf('idRegistry', TRANSFER_TYPES)
export const transferAndChangeRecoveryTypedData = typedDataOf(
  'idRegistry',
  TRANSFER_AND_CHANGE_RECOVERY_TYPES,
)
/** `from` is the present recovery address. */
export const changeRecoveryAddressTypedData = typedDataOf(
  'idRegistry',
  CHANGE_RECOVERY_ADDRESS_TYPES,
)
export const addTypedData = typedDataOf('keyGateway', ADD_KEY_TYPES)
export const removeTypedData = typedDataOf('keyRegistry', REMOVE_KEY_TYPES)

/** Takes the fields of the struct from an object, which may have others. */
function typedDataOf<F extends Field>(
  contract: keyof AccountDomains,
  types: Readonly<Record<string, readonly F[]>>,
) {
  const [[primaryType, fields]] = Object.entries(types) as [[string, readonly F[]]]
  return (domains: AccountDomains, message: Message<F>): TypedData => {
    const values = message as Readonly<Record<string, Values[keyof Values]>>
    const encoded = fields.map(({ name, type }) => [name, encode(type, values[name]!)])
    const domain = domains[contract]
    return { domain, types, primaryType, message: Object.fromEntries(encoded) }
  }
}

function encode(type: keyof Values, value: Values[keyof Values]): unknown {
  if (value instanceof Uint8Array) return toHex(value) || '0x'
  return type === 'uint256' ? BigInt(value) : value
}
