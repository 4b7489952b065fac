import Type, { type Static } from 'typebox'
import type { Hex } from 'viem'
import {
  decodeAbiParameters,
  decodeFunctionData,
  encodeFunctionResult,
  isHex,
  parseAbi,
} from 'viem/utils'
import { json, type Route, route } from '../http/route.ts'
import { fromHex, toHex } from '../protocol/codec/bytes.ts'
import { DEPLOYED_CONTRACTS } from '../protocol/crypto/account-domains.ts'
import { ADDRESS_BYTES, MAX_FID } from '../protocol/sizes.ts'
import { CALLS_OF_SIGNATURE } from './chain/rpc-budget.ts'
import type { Accounts } from './port.ts'
import { READS } from './routes.ts'
import type { VerifySignature } from './signatures/signature.ts'
import type { SigningNetwork } from './signatures/signing-network.ts'

// The part of Ethereum's JSON-RPC that verifiers of signatures ask: who holds a fid, whether a key is active, and
// whether a signature is that of an address. So clients that are made for the deployed contracts verify against the
// accounts of this server.

export type JsonRpcContext = {
  readonly accounts: Pick<Accounts, 'fidOf' | 'custodyOf' | 'keyData'>
  readonly verify: VerifySignature
  /** Whether `verify` may ask a node of a chain about contract wallets. */
  readonly asksChain: boolean
  readonly network: SigningNetwork
}

/** A batch of viem, which sends what is asked within a millisecond, has a few. */
const MAX_BATCH = 50
/** JSON of a JSON-RPC id that is echoed. */
const MAX_ID_CHARACTERS = 128

const ABI = parseAbi([
  'function idOf(address owner) view returns (uint256)',
  'function custodyOf(uint256 fid) view returns (address)',
  'struct KeyData { uint8 state; uint32 keyType; }',
  'function keyDataOf(uint256 fid, bytes key) view returns (KeyData)',
  'function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)',
])
/** What a contract wallet answers for its own signature (ERC-1271). */
const MAGIC_VALUE = '0x1626ba7e'
const NO_ADDRESS: Hex = `0x${'00'.repeat(ADDRESS_BYTES)}`
/** The arguments of the ERC-6492 validator, a contract that is run without being deployed. */
const VALIDATOR_ARGUMENTS = [{ type: 'address' }, { type: 'bytes32' }, { type: 'bytes' }] as const

const METHOD_NOT_FOUND = -32_601
const INVALID_PARAMS = -32_602
/** As nodes answer for a call that a contract refuses; clients then decide by themselves. */
const REVERTED = 3

class RpcError extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

const Call = Type.Object({
  to: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  data: Type.Optional(Type.String()),
  input: Type.Optional(Type.String({ description: 'Another name of data.' })),
})
const Param = Type.Union([Call, Type.String(), Type.Boolean(), Type.Null()], {
  description: 'Of eth_call: what is called, then the block, which is ignored.',
})
type Param = Static<typeof Param>
const Request = Type.Object({
  jsonrpc: Type.Literal('2.0'),
  id: Type.Union([
    Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
    Type.String({ maxLength: MAX_ID_CHARACTERS }),
  ]),
  method: Type.String({ description: 'eth_chainId or eth_call.' }),
  params: Type.Optional(Type.Array(Param)),
})
type Request = Static<typeof Request>
const Requests = Type.Union([Request, Type.Array(Request, { minItems: 1, maxItems: MAX_BATCH })])
const Response = Type.Object({
  jsonrpc: Type.Literal('2.0'),
  id: Type.Union([Type.Integer(), Type.String()]),
  result: Type.Optional(Type.String()),
  error: Type.Optional(Type.Object({ code: Type.Integer(), message: Type.String() })),
})
type Response = Static<typeof Response>

export const jsonRpcRoute = (context: JsonRpcContext): Route =>
  route('POST /', {
    callers: 'anyone',
    summary: 'Ethereum JSON-RPC for verifiers of signatures',
    description:
      'eth_chainId, and eth_call of IdRegistry `idOf` and `custodyOf`, KeyRegistry `keyDataOf`, ERC-1271 ' +
      '`isValidSignature` and the ERC-6492 validator. The contracts are found at their deployed addresses, and at ' +
      `those of /v1/domains. A list of up to ${MAX_BATCH} requests is answered with a list. Another method or ` +
      'call is answered with a JSON-RPC error, under status 200. Contract wallets are asked only where they hold a fid.',
    tags: READS,
    body: json(Requests, { description: 'A request, or a list of requests.' }),
    reply: Type.Union([Response, Type.Array(Response)]),
    errors: ['unavailable.network_failure', 'unavailable.overloaded'],
    cost: { cpu: 'small' },
    costOfBody: (body) => {
      const requests = [body].flat()
      const signatures = requests.filter(mayVerify).length
      return {
        recoveries: 2 * signatures,
        rows: requests.length,
        chainCalls: context.asksChain ? CALLS_OF_SIGNATURE * signatures : 0,
      }
    },
    handler: (_, { body }) =>
      Array.isArray(body)
        ? Promise.all(body.map((one) => answerTo(context, one)))
        : answerTo(context, body),
  })

/** Whether a request may verify a signature; it is paid before it is read. */
function mayVerify({ params: [call] = [] }: Request): boolean {
  const { to, data, input = data } = callIn(call)
  return !to || input?.startsWith(MAGIC_VALUE) === true
}

const callIn = (param: Param | undefined): Static<typeof Call> =>
  typeof param === 'object' && param !== null ? param : {}

async function answerTo(
  context: JsonRpcContext,
  { id, method, params = [] }: Request,
): Promise<Response> {
  try {
    return { jsonrpc: '2.0', id, result: await resultOf(context, method, params) }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return { jsonrpc: '2.0', id, error: { code: error.code, message: error.message } }
  }
}

async function resultOf(
  context: JsonRpcContext,
  method: string,
  [call]: readonly Param[],
): Promise<Hex> {
  if (method === 'eth_chainId') return `0x${context.network.chainId.toString(16)}`
  if (method !== 'eth_call') {
    throw new RpcError(METHOD_NOT_FOUND, 'only eth_chainId and eth_call are answered here')
  }
  const { to, data } = readCall(call)
  return to ? read(context, to, data) : validate(context, data)
}

function readCall(param: Param | undefined): { to: Hex | undefined; data: Hex } {
  const { to, data, input = data } = callIn(param)
  if (to && !(isHex(to) && fromHex(to)?.length === ADDRESS_BYTES)) {
    throw new RpcError(INVALID_PARAMS, 'params[0].to is not an address')
  }
  if (!isHex(input) || !fromHex(input)) {
    throw new RpcError(INVALID_PARAMS, 'params[0].data is not bytes in hex')
  }
  return { to: to ? (to as Hex) : undefined, data: input }
}

/** The answer of a contract to a read. */
async function read(
  { accounts, verify, network: { contracts } }: JsonRpcContext,
  to: Hex,
  data: Hex,
): Promise<Hex> {
  const isAt = (contract: 'idRegistry' | 'keyRegistry') =>
    [contracts[contract], DEPLOYED_CONTRACTS[contract]].some(
      (address) => address.toLowerCase() === to.toLowerCase(),
    )
  const { functionName, args } = decodeCall(data)
  if (functionName === 'idOf' && isAt('idRegistry')) {
    const result = BigInt((await accounts.fidOf(bytesOf(args[0]))) ?? 0)
    return encodeFunctionResult({ abi: ABI, functionName, result })
  }
  if (functionName === 'custodyOf' && isAt('idRegistry')) {
    const custody = await accounts.custodyOf(fidOf(args[0]))
    const result = custody ? (toHex(custody.address) as Hex) : NO_ADDRESS
    return encodeFunctionResult({ abi: ABI, functionName, result })
  }
  if (functionName === 'keyDataOf' && isAt('keyRegistry')) {
    const result = await accounts.keyData(fidOf(args[0]), bytesOf(args[1]))
    return encodeFunctionResult({ abi: ABI, functionName, result })
  }
  // Answered for plain accounts, too, which have no code on a chain.
  if (functionName === 'isValidSignature') {
    const [hash, signature] = args
    if (await verify(bytesOf(to), bytesOf(hash), bytesOf(signature))) {
      return encodeFunctionResult({ abi: ABI, functionName, result: MAGIC_VALUE })
    }
  }
  throw reverted('no such function of this contract is answered here')
}

function decodeCall(data: Hex) {
  try {
    return decodeFunctionData({ abi: ABI, data })
  } catch {
    throw reverted('the function is not one that is answered here')
  }
}

/** The ERC-6492 validator as viem sends it: 1 for the signature of a plain account or of a contract wallet, or 0. */
async function validate({ verify }: JsonRpcContext, data: Hex): Promise<Hex> {
  // Loaded when first needed: viem takes longer than the start of the server.
  const { erc6492SignatureValidatorByteCode: validator } = await import('viem')
  if (!data.startsWith(validator)) throw reverted('no code is run here')
  const [address, hash, signature] = readArguments(`0x${data.slice(validator.length)}`)
  return (await verify(bytesOf(address), bytesOf(hash), bytesOf(signature))) ? '0x01' : '0x00'
}

function readArguments(data: Hex) {
  try {
    return decodeAbiParameters(VALIDATOR_ARGUMENTS, data)
  } catch {
    throw reverted('the arguments of the validator are not complete')
  }
}

const reverted = (why: string) => new RpcError(REVERTED, `execution reverted: ${why}`)
const bytesOf = (hex: Hex): Uint8Array => fromHex(hex)!
/** No account has a fid beyond 32 bits; 0 stands for them. */
const fidOf = (fid: bigint): number => (fid <= MAX_FID ? Number(fid) : 0)
