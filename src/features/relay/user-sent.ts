import { checkRequester, readNonce } from '../../kernel/accounts/chain/calls.ts'
import type { ChainContracts } from '../../kernel/accounts/chain/contracts.ts'
import { callEncoder, type EncodedCall } from '../../kernel/accounts/chain/encode.ts'
import { refusalOf, unlessSilent } from '../../kernel/accounts/chain/refusals.ts'
import type { Rpc } from '../../kernel/accounts/chain/rpc.ts'
import type { KeyCalls, SubmitResult } from '../../kernel/accounts/port.ts'
import { fromHex } from '../../kernel/protocol/codec/bytes.ts'

/** Key calls without a relayer: calls are simulated and returned as transactions that the user has to send. */
export function createUserSent({
  rpc: unlimited,
  routeRpc: rpc = unlimited,
  chainId,
  contracts,
}: {
  rpc: Rpc
  routeRpc?: Rpc
  chainId: number
  contracts: ChainContracts
}): KeyCalls {
  const encode = callEncoder(contracts, { signupUnits: 0 })

  const simulate = async (name: 'addFor' | 'removeFor', call: object, encoded: EncodedCall) => {
    await rpc('eth_call', [encoded, 'latest']).catch((error) => {
      throw unlessSilent(refusalOf(name, error, call))
    })
  }
  const sentByUser = ({ to, data }: EncodedCall): SubmitResult => ({
    outcome: 'user-must-send',
    transaction: { chainId, to: fromHex(to)!, data: fromHex(data)! },
  })

  const simulateAddFor: KeyCalls['simulateAddFor'] = async (call) => {
    checkRequester(call)
    await simulate('addFor', call, encode.addFor(call))
  }
  return {
    nonce: (contract, address) => readNonce(rpc, contracts, contract, address),
    simulateAddFor,
    async addFor(call) {
      await simulateAddFor(call)
      return sentByUser(encode.addFor(call))
    },
    async removeFor(call) {
      const encoded = encode.removeFor(call)
      await simulate('removeFor', call, encoded)
      return sentByUser(encoded)
    },
  }
}
