import type { Command } from 'commander'
import type { ClientConfig } from '../../config.ts'
import { fromHex, toHex } from '../../kernel/protocol/codec/bytes.ts'
import {
  ADD_KEY_TYPES,
  KEY_ADD_TYPES,
  signTypedData,
  type TypedData,
} from '../../kernel/protocol/crypto/eip712.ts'
import { addressOfPrivateKey } from '../../kernel/protocol/crypto/secp256k1.ts'
import { namesOf } from '../../kernel/protocol/kinds/json-layout.ts'
import { MessageTypeSchema } from '../../kernel/protocol/wire/message_pb.js'
import { keyRequestArgument } from '../arguments.ts'
import { Calls } from '../calls.ts'
import { Failure } from '../failure.ts'
import { note, oneLine, printJson, printResult } from '../output.ts'
import { checkCompleted, type Details, getDetails, isOver, waitForEnd } from './key-request.ts'
import { asUser, type UserOptions, userCall } from './platform.ts'
import { findHolder, type Holder } from './signer.ts'

const NAME_CHARACTERS = 32

const deny = userCall('deny', 'PUT /v2/deny-signed-key-request', {
  example: '0x5f0c... --fid 2',
  args: ['token'],
  take: (_, { token }) => ({ token, state: 'denied' }),
  line: () => 'the request is denied',
})

/** Adds approve and deny, with which a user answers a signed key request. */
export function addApproveCommands(program: Command, config: ClientConfig): void {
  asUser(program.command('approve'), config)
    .summary('approve a signed key request: the app may then sign for you')
    .argument('<request>', 'token of the request, or a link that contains it', keyRequestArgument)
    .option('--json', 'print the request as JSON')
    .addHelpText('after', '\nExample:\n  rookery approve 0x5f0c... --fid 2')
    .action(approve)
  deny(program, config)
}

async function approve(token: string, options: UserOptions): Promise<void> {
  const user = await findHolder(options, options.fid)
  const details = await getDetails(options, token, user.fid)
  const { app, key, gasless } = details
  note(`${nameOf(app)} asks to sign for fid ${user.fid} with the key ${key}`)
  if (gasless) note(`for ${gasless.scopes.join(', ')}, until it is not used for ${gasless.ttl} s`)
  const body = { token, userFid: user.fid, ...signAdd(user, details) }
  const calls = new Calls<'platform'>({ url: options.platform })
  const { result } = await calls.ask('PUT /v2/approve-signed-key-requests', body)
  if (result.transaction) {
    printJson(result.transaction)
    note('This server has no relayer: send this transaction from an account that pays for gas.')
    return
  }
  const request = isOver(result.signedKeyRequest)
    ? result.signedKeyRequest
    : await waitForEnd(options, token)
  checkCompleted(request)
  const text = `fid ${app.fid} may sign for fid ${user.fid} with the key ${key}`
  printResult(options, request, text)
}

const nameOf = ({ fid, username }: Details['app']): string =>
  username === undefined ? `fid ${fid}` : `${oneLine(username, NAME_CHARACTERS)} (fid ${fid})`

/** Signs what the server asks for, if it is this key for this account and nothing else. */
function signAdd(user: Holder, details: Details) {
  const { state, keyState, typedData } = details
  if (keyState !== undefined && keyState !== 'none') {
    throw new Failure(`this key is already ${keyState}; the app has to request another one`)
  }
  if (!typedData) throw new Failure(`the request is already ${state}`)
  const privateKey = fromHex(user.custodyPrivateKey)!
  const { message } = typedData
  const types = details.gasless ? KEY_ADD_TYPES : ADD_KEY_TYPES
  const asked = details.gasless ? isGaslessKey(details, user.fid) : isOwn(details, privateKey)
  if (!asked || !isSame(message.key, details.key)) {
    throw new Failure(
      'the server asks for a signature that does not match the request; nothing was signed',
    )
  }
  const primaryType = Object.keys(types)[0]!
  const add = { domain: typedData.domain, types, primaryType, message }
  const signature = toHex(signTypedData(add as TypedData, privateKey))
  return { deadline: Number(message.deadline), signature }
}

const isOwn = ({ typedData }: Details, privateKey: Uint8Array): boolean =>
  isSame(typedData!.message.owner, toHex(addressOfPrivateKey(privateKey)))

/** Whether the KeyAdd names the account, and what the app asks for. */
function isGaslessKey({ typedData, gasless }: Details, fid: number): boolean {
  const { message } = typedData!
  const names = Array.isArray(message.scopes) ? message.scopes.map(scopeName) : []
  const isAsked = names.join() === gasless!.scopes.join() && Number(message.ttl) === gasless!.ttl
  return isAsked && Number(message.fid) === fid
}

const scopeName = namesOf(MessageTypeSchema)

const isSame = (a: unknown, b: string) =>
  typeof a === 'string' && a.toLowerCase() === b.toLowerCase()
