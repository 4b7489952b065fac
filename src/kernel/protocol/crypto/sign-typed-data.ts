import type { LocalAccount } from 'viem/accounts'
import type { TypedData } from './typed-data-digest.ts'

/** The signature of an account, in hex. viem infers structs from literal types; here they are plain data. */
export function signTypedData(account: LocalAccount, typedData: TypedData) {
  type Argument = Parameters<LocalAccount['signTypedData']>[0]
  return account.signTypedData(typedData as unknown as Argument)
}
